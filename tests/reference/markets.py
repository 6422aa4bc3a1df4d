"""Compares every session of every shipped market with the calendars of exchange_calendars.

Reads what the example `market_sessions` prints. A session is its day, opening, close and break. Days on
which the two may differ stand in DIFFERENCES with the source that decided; one that no longer differs
is an error too.
"""

import sys
from collections import defaultdict

import exchange_calendars
import pandas

FIRST, LAST = "2015-01-01", "2026-12-31"

# The National Stock Exchange of India has the holidays of the Bombay one, which is listed there.
CALENDARS = {"XNSE": "XBOM"}

MUHURAT = "Muhurat session; circulars of nseindia.com, and the reports of the press on each day"
BUDGET = "session for the Union Budget; circular of nseindia.com"
RECOVERY = "test of the recovery site; circular of nseindia.com"
STORM = "no trading in a storm; scmp.com/business/markets/article/3233800"

DIFFERENCES = {
    "XHKG": {"2023-09-01": STORM, "2023-09-08": STORM},
    "XNSE": {
        "2015-02-28": BUDGET,
        "2015-11-11": MUHURAT,
        "2016-10-30": MUHURAT,
        "2017-10-19": MUHURAT,
        "2018-11-07": MUHURAT,
        "2019-10-27": MUHURAT,
        "2020-02-01": BUDGET,
        "2020-11-14": MUHURAT,
        "2021-11-04": MUHURAT,
        "2022-10-24": MUHURAT,
        "2023-11-12": MUHURAT,
        "2024-01-20": "full session on a Saturday in place of 2024-01-22; circular of nseindia.com",
        "2024-03-02": RECOVERY,
        "2024-05-18": RECOVERY,
        "2024-11-01": MUHURAT,
        "2025-02-01": BUDGET,
        "2025-10-21": MUHURAT,
        "2026-02-01": BUDGET,
    },
}


def instant(value):
    return "" if pandas.isna(value) else value.strftime("%Y-%m-%dT%H:%M:%SZ")


def theirs(market):
    name = CALENDARS.get(market, market)
    calendar = exchange_calendars.get_calendar(name, start=FIRST, end=LAST)
    rows = {}
    for day, row in calendar.schedule.iterrows():
        times = (row["open"], row["close"], row["break_start"], row["break_end"])
        # A break that would begin when the session has ended is no break.
        if not pandas.isna(row["break_start"]) and row["break_end"] >= row["close"]:
            times = (row["open"], row["close"], pandas.NaT, pandas.NaT)
        rows[day.strftime("%Y-%m-%d")] = tuple(instant(time) for time in times)
    return rows


def main():
    ours = defaultdict(dict)
    known = {}
    for line in sys.stdin:
        market, day, *times = line.rstrip("\n").split(",")
        if day == "known":
            known[market] = times[:2]
        elif FIRST <= day <= LAST:
            ours[market][day] = tuple(times)
    problems, compared = [], 0
    for market, (first, last) in known.items():
        if first > FIRST or last < LAST:
            problems.append(f"{market} is known from {first} to {last} only")
        expected, allowed = theirs(market), dict(DIFFERENCES.get(market, {}))
        for day in sorted(expected.keys() | ours[market].keys()):
            compared += 1
            same = expected.get(day) == ours[market].get(day)
            if day in allowed:
                if same:
                    problems.append(f"{market} {day} no longer differs: remove it from the list")
                del allowed[day]
            elif not same:
                problems.append(f"{market} {day}: ours {ours[market].get(day)}, theirs {expected.get(day)}")
        problems += [f"{market} {day} is listed but compared nowhere" for day in allowed]
    if len(known) != 11:
        problems.append(f"{len(known)} markets instead of 11")
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    listed = sum(len(days) for days in DIFFERENCES.values())
    print(f"markets: {compared} sessions of {len(known)} markets agree, {listed} differ for a listed reason")


main()
