// Sorts, filters, compares and switches the theme; every page reads without it.
'use strict';
(() => {
  const root = document.documentElement;
  const saved = (() => { try { return localStorage.getItem('theme'); } catch { return null; } })();
  if (saved === 'light' || saved === 'dark') root.dataset.theme = saved;
  const home = new URL('.', document.currentScript.src).href;
  addEventListener('DOMContentLoaded', () => {
  const theme = document.getElementById('theme');
  if (theme) {
    theme.hidden = false;
    theme.addEventListener('click', () => {
      const dark = root.dataset.theme ? root.dataset.theme === 'dark'
        : matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset.theme = dark ? 'light' : 'dark';
      try { localStorage.setItem('theme', root.dataset.theme); } catch { /* private window */ }
    });
  }

  const state = new URLSearchParams(location.search);
  const keep = () => {
    const text = state.toString();
    history.replaceState(null, '', text ? `?${text}${location.hash}` : location.pathname + location.hash);
  };
  const remember = (name, value) => {
    if (value) state.set(name, value); else state.delete(name);
    keep();
  };

  // Sorting: rows of class `apart` stay below the others.
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell ? (cell.dataset.key || cell.textContent.trim()) : '';
    const number = Number(text.replace('\u2212', '-').replace(/[%+\u00a0,]/g, ''));
    return text !== '' && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  const order = (a, b) => {
    if (a === '' || a === '–') return b === '' || b === '–' ? 0 : 1;
    if (b === '' || b === '–') return -1;
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a).localeCompare(String(b), 'en');
  };
  const sort = (table, column, down) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const loose = rows.filter((row) => !row.classList.contains('apart'));
    const tied = loose.map((row, place) => ({ row, place, value: key(row, column) }));
    const missing = (value) => value === '' || value === '–';
    tied.sort((a, b) => {
      const found = order(a.value, b.value);
      const turned = down && !missing(a.value) && !missing(b.value) ? -found : found;
      return turned || a.place - b.place;
    });
    body.append(...tied.map((one) => one.row), ...rows.filter((row) => row.classList.contains('apart')));
    [...table.tHead.rows[0].cells].forEach((cell, place) => {
      if (place === column) cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    });
  };
  [...document.querySelectorAll('table[data-sort]')].forEach((table, number) => {
    const name = `sort${number}`;
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = document.createElement('button');
      const help = cell.querySelector('.q');
      button.type = 'button';
      button.className = 'sort';
      button.append(...[...cell.childNodes].filter((node) => node !== help));
      cell.prepend(button);
      button.addEventListener('click', () => {
        const was = cell.getAttribute('aria-sort');
        const down = was ? was === 'ascending' : cell.classList.contains('n');
        sort(table, column, down);
        remember(name, `${column}${down ? 'd' : 'u'}`);
      });
    });
    const wanted = /^(\d+)([du])$/.exec(state.get(name) || '');
    if (wanted && Number(wanted[1]) < table.tHead.rows[0].cells.length) sort(table, Number(wanted[1]), wanted[2] === 'd');
  });

  // Filters: a field is compared with the data attribute of its name.
  document.querySelectorAll('form[data-filter]').forEach((form) => {
    const table = document.getElementById(form.dataset.filter);
    if (!table) return;
    form.hidden = false;
    const single = document.querySelectorAll('form[data-filter]').length === 1;
    const named = (field) => (single ? field.name : `${form.dataset.filter}.${field.name}`);
    const fields = [...form.elements].filter((field) => field.name);
    const passes = (row, field) => {
      const wanted = field.value.trim();
      if (!wanted) return true;
      if (field.name === 'q') return row.textContent.toLowerCase().includes(wanted.toLowerCase());
      if (field.name === 'from') return row.dataset.date >= wanted;
      if (field.name === 'to') return row.dataset.date <= wanted;
      return (row.dataset[field.name] || '').split('|').includes(wanted);
    };
    const apply = () => {
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !fields.every((field) => passes(row, field));
        if (!row.hidden) shown += 1;
      }
      form.querySelector('output').textContent = `${shown} of ${table.tBodies[0].rows.length} shown`;
    };
    fields.forEach((field) => {
      field.value = state.get(named(field)) || '';
      field.addEventListener('input', () => { remember(named(field), field.value); apply(); });
    });
    form.addEventListener('submit', (event) => event.preventDefault());
    apply();
  });

  // Comparison: two to four models, and only the rounds all of them completed.
  const compare = document.getElementById('compare');
  if (compare) {
    compare.hidden = false;
    const boxes = [...compare.querySelectorAll('input')];
    const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
    const apply = () => {
      const models = chosen();
      const some = models.length >= 2;
      boxes.forEach((box) => { box.disabled = !box.checked && models.length >= 4; });
      document.querySelectorAll('tr[data-pair]').forEach((row) => {
        row.hidden = some && !row.dataset.pair.split(' ').every((id) => models.includes(id));
      });
      document.querySelectorAll('.heat table').forEach((table) => {
        const heads = [...table.tHead.rows[0].cells];
        const off = heads.map((cell) => some && cell.dataset.model && !models.includes(cell.dataset.model));
        heads.forEach((cell, place) => { cell.hidden = off[place]; });
        for (const row of table.tBodies[0].rows) {
          [...row.cells].forEach((cell, place) => { cell.hidden = off[place]; });
          row.hidden = some && heads.some((cell, place) => models.includes(cell.dataset.model)
            && row.cells[place].textContent === '');
        }
      });
      compare.querySelector('output').textContent = some ? `${models.length} models on shared rounds` : 'all models; choose two to four';
    };
    const wanted = (state.get('models') || '').split(',');
    boxes.forEach((box) => {
      box.checked = wanted.includes(box.value);
      box.addEventListener('change', () => { remember('models', chosen().join(',')); apply(); });
    });
    apply();
  }

  // Shows the figures of the mark or line under the pointer; the tables hold the same figures.
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.hidden = true;
  tip.setAttribute('aria-hidden', 'true');
  document.body.append(tip);
  document.querySelectorAll('svg.chart').forEach((chart) => {
    chart.addEventListener('pointermove', (event) => {
      const words = event.target.dataset ? event.target.dataset.t : undefined;
      tip.hidden = !words;
      if (!words) return;
      tip.textContent = words;
      tip.style.left = `${Math.min(event.pageX + 12, document.body.clientWidth - tip.offsetWidth - 4)}px`;
      tip.style.top = `${event.pageY + 14}px`;
    });
    chart.addEventListener('click', (event) => {
      const leads = event.target.dataset ? event.target.dataset.h : undefined;
      if (leads) location.href = leads;
    });
    chart.addEventListener('pointerleave', () => { tip.hidden = true; });
  });

  // Commands are copied by a click.
  document.querySelectorAll('pre.command').forEach((block) => {
    if (!navigator.clipboard) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(block.querySelector('code').textContent)
        .then(() => { button.textContent = 'Copied'; });
    });
    block.after(button);
  });

  // A round computed again, or as one file: the verifier is downloaded when somebody asks.
  const strip = document.querySelector('.proof[data-round]');
  if (strip && location.protocol !== 'file:') {
    strip.hidden = false;
    for (const button of strip.querySelectorAll('button'))
      button.addEventListener('click', async () => (await import(`${home}verify/strip.js`)).act(strip, button.value));
  }

  // Search: the index is downloaded when somebody opens it.
  const find = document.getElementById('find');
  if (find && location.protocol !== 'file:') {
    let entries, box;
    const show = (words) => {
      const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
      const found = parts.length ? (entries || []).filter((one) => parts.every((part) => one[0].toLowerCase().includes(part))) : [];
      box.querySelector('ul').replaceChildren(...found.slice(0, 12).map(([name, path, kind]) => {
        const row = document.createElement('li'), link = document.createElement('a');
        link.href = home + path;
        link.textContent = name;
        row.append(link, ` ${kind}`);
        return row;
      }));
      box.querySelector('output').textContent = parts.length ? `${found.length} found` : '';
    };
    const open = async () => {
      if (!box) {
        box = document.createElement('dialog');
        box.className = 'find';
        box.setAttribute('aria-label', 'Search');
        box.innerHTML = '<form method="dialog"><label>Search models, rounds and assets <input type="search" autocomplete="off"></label> <button>Close</button></form><output aria-live="polite"></output><ul></ul>';
        document.body.append(box);
        box.querySelector('input').addEventListener('input', (event) => show(event.target.value));
        box.querySelector('input').addEventListener('keydown', (event) => {
          const first = box.querySelector('li a');
          if (event.key === 'Enter' && first) { event.preventDefault(); location.href = first.href; }
        });
      }
      box.showModal();
      if (entries) return;
      try { entries = await (await fetch(`${home}search.json`)).json(); } catch { entries = []; }
      show(box.querySelector('input').value);
    };
    find.hidden = false;
    find.addEventListener('click', open);
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      event.preventDefault();
      open();
    });
  }
  });
})();
