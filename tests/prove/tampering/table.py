"""The table of tamperings and its summary, as the page of evidence shows them."""

from report import Row
from tampering.attack import ORDER
from tampering.part import Outcome
from tampering.readers import KEY, NOTHING, READERS

WORDS = {"freeze": "freeze", "asking": "asking", "acceptance": "acceptance", "entry": "entry", "exit": "exit prices",
         "scoring": "scoring", "report": "report"}


def rows(made: list[Outcome]) -> list[Row]:
    """What must hold of all of them together."""
    tried = [own for own in made if not own.of.honest]
    counted = "; ".join(f"{reader}: {sum(own.found(reader) for own in tried)} found" for reader in READERS)
    hidden = sum(len(own.of.hidden) == len(READERS) for own in tried)
    partly = sum(0 < len(own.of.hidden) < len(READERS) for own in tried)
    moments = len({own.of.moment for own in tried})
    wrong = [(own, [word for word in own.wrong() if not word.startswith(("browser", "bundle"))]) for own in made]
    bad = [f"{own.of.moment}: {own.of.name}: {'; '.join(words)}" for own, words in wrong if words and not own.of.honest]
    spoiled = [f"{own.of.moment}: {own.of.name}: {'; '.join(words)}" for own, words in wrong if words and own.of.honest]
    bundles = [own for own in made if own.bundle]
    torn = [f"{own.of.name}: {'; '.join(words)}" for own in bundles
            if (words := [word for word in own.wrong() if word.startswith("bundle")])]
    paged = [own for own in made if own.browser]
    apart = [f"{own.of.moment}: {own.of.name}: {own.browser['verdict']}, the program {', '.join(own.codes[NOTHING][:2]) or 'holds'}"
             for own in paged if not own.equal()]
    honest = [own for own in made if own.of.honest]
    return [
        Row("tamperings by an operator who holds the key",
            f"{len(tried)} classes at {moments} moments; {counted}; {partly} undetectable for some readers, {hidden} for all",
            "at least 100 classes, each found or undetectable by nature as listed", not bad and len(tried) >= 100, bad),
        Row("honest folders at every moment, and a correction", f"{len(honest)} folders; {len(spoiled)} not said to hold",
            "all hold, PROVED where the root is vouched for", not spoiled, spoiled),
        Row("the same through a bundle", f"{len(bundles)} classes; {len(torn)} otherwise", "found as in the folder", not torn, torn),
        Row("the same in the browser's page", f"{len(paged)} classes; {len(apart)} otherwise than the program",
            "equal for each", not apart, apart),
    ]


def table(made: list[Outcome]) -> str:
    """Every class with the codes that name it; reasons of what cannot be found stand below."""
    reasons: list[str] = []
    lines = [f"What each reader kept from before: nothing; the log's key and the root of the time stamp authority; also the "
             f"checkpoint of every moment up to the tampering. Codes are those of [findings.md](findings.md), by "
             f"`verify --strict`; (w) is a warning. *Signed again* is with the operator's own key. Where a command refuses, a "
             f"changed program did it.", "",
             "| point | after | what is done | kept nothing | kept key and root | kept checkpoints too | bundle | browser |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    order = sorted(made, key=lambda own: (int(own.of.point or 99), ORDER.index(own.of.moment)))
    for own in order:
        cells = [cell(own, reader, reasons) for reader in READERS]
        if own.told or cells[0] == cells[1] == cells[2]:
            cells = [cells[0], "the same", "the same"]
        refused = ", ".join(dict.fromkeys(f"`{word.split(':')[0].split()[0]}`" for word in own.refused))
        name = own.of.name + (f" (refused by {refused})" if refused and not own.told else "")
        bundle = "" if not own.bundle else "the same" if all(bool(own.bundle[reader]) == own.found(reader) for reader in READERS) \
            else ", ".join(own.bundle[KEY][:2]) or "holds"
        browser = "" if not own.browser else own.browser["verdict"] if own.equal() else f"**{own.browser['verdict']}**"
        point = own.of.point or ("honest" if own.of.honest else "")
        lines.append("| " + " | ".join([point, WORDS[own.of.moment], name.replace("|", "\\|"), *cells, bundle, browser]) + " |")
    lines += ["", *(f"{number}. {reason[0].upper()}{reason[1:]}." for number, reason in enumerate(reasons, 1))]
    return "\n".join(lines)


def shown(code: str) -> str:
    """A code as the table shows it."""
    if code == "refused":
        return "cannot be read (exit 2)"
    return f"`{code.removesuffix(' (warning)')}`" + (" (w)" if code.endswith(" (warning)") else "")


def cell(own: Outcome, reader: str, reasons: list[str]) -> str:
    if own.broke:
        return "**broke off**"
    if own.told:
        text = own.told.words.replace("|", "\\|")
        return text if own.told.found else f"**not found**: {text}"
    level = own.looks[reader].level
    if own.of.honest:
        return f"holds, {level}" if not own.codes[reader] else f"**{', '.join(own.codes[reader][:2])}**"
    codes = [shown(code) for code in own.codes[reader]]
    if reader in own.of.hidden:
        reason = own.of.hidden[reader]
        if reason not in reasons:
            reasons.append(reason)
        return f"undetectable ({reasons.index(reason) + 1}), {level}" + (f" **{codes[0]}**" if codes else "")
    if not codes:
        return f"**not found, {level}**"
    return ", ".join(codes[:2])


