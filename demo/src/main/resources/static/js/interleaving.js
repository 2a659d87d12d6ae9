/**
 * From the steps of one side of an exhibit to what is drawn. The place of a step is its index: steps of one millisecond stay
 * apart, and their order is what matters.
 */
const ENDS = ['release', 'lost', 'killed', 'granted'];
const SERVERS = 'servers';

/** The lanes of several sides, so that they can be compared: callers by name, the servers below them. */
export function lanesOf(...sides) {
  const names = new Set(sides.flatMap(side => side.steps.map(step => step.caller)));
  const callers = [...names].filter(caller => caller !== SERVERS).sort();
  return names.has(SERVERS) ? [...callers, SERVERS] : callers;
}

/**
 * Who had the lock, or believed so. A bar begins with a grant; it ends with a release, a reported loss or a kill, or with a
 * refused write after which its caller does nothing. Its `pieces` are the parts during which another bar was open: `race` if both
 * wrote, `stale` if this one is the older and has written nothing since the other was granted the lock.
 *
 * @returns {{bars: object[], gone: object[], stops: object[]}} bars; locks that stay behind a killed process; times when a
 *   process was stopped
 */
export function interleave(steps) {
  const bars = steps.flatMap((step, index) => (step.kind === 'granted' ? [barFrom(steps, index)] : []));
  for (const bar of bars) {
    bar.to = Math.min(bar.to, ...bars.filter(newer => isHandOver(bar, newer)).map(newer => newer.from));
  }
  for (const bar of bars) {
    bar.others = bars.filter(other => other !== bar && other.from < bar.to && other.to > bar.from);
    bar.harmless = !bar.others.some(other => bar.writes.some(write => write > other.from));
  }
  for (const bar of bars) {
    bar.pieces = bar.others
      .filter(other => (bar.harmless ? other.from > bar.from : !other.harmless))
      .map(other => pieceOf(bar, other));
  }
  return { bars, gone: leftBehind(steps), stops: stopsOf(steps) };
}

/** The older one does not have the lock any more, also when the newer one is done. */
function pieceOf(bar, other) {
  const isOlder = other.from > bar.from;
  return {
    kind: bar.harmless ? 'stale' : 'race',
    from: Math.max(bar.from, other.from),
    to: isOlder ? bar.to : Math.min(bar.to, other.to),
  };
}

/** The answer to a release may come later than the grant that it made possible. */
const isHandOver = (older, newer) =>
  older.isReleased && newer.from > older.from && newer.from < older.to && !older.steps.some(step => step > newer.from && step < older.to);

function barFrom(steps, from) {
  const { caller } = steps[from];
  const own = steps.map((step, index) => ({ ...step, index })).filter(step => step.caller === caller && step.index > from);
  const end = own.find(step => ENDS.includes(step.kind));
  const inside = own.filter(step => step.index <= (end?.index ?? Infinity));
  const last = inside.at(-1);
  return {
    caller,
    from,
    to: end?.index ?? (last?.kind === 'write-refused' ? last.index : steps.length),
    isReleased: end?.kind === 'release',
    steps: inside.map(step => step.index),
    writes: inside.filter(step => step.kind === 'write').map(step => step.index),
  };
}

/** A killed process does not work, and nobody else can: until the next grant. */
function leftBehind(steps) {
  return steps.flatMap((step, from) => {
    if (step.kind !== 'killed') {
      return [];
    }
    const next = steps.findIndex((later, index) => index > from && later.kind === 'granted');
    return [{ caller: step.caller, from, to: next < 0 ? steps.length : next }];
  });
}

function stopsOf(steps) {
  return steps.flatMap((step, from) => {
    if (step.kind !== 'stopped') {
      return [];
    }
    const end = steps.findIndex((later, index) =>
      index > from && later.caller === step.caller && ['goes-on', 'killed'].includes(later.kind));
    return [{ caller: step.caller, from, to: end < 0 ? steps.length : end }];
  });
}
