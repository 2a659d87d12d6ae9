/** Converts the steps of one side of an exhibit to bars and marks, positioned by index, since order matters more than time. */
const ENDS = ['release', 'lost', 'killed', 'granted'];
const SERVERS = 'servers';

/** Common lanes of several sides: callers by name, then the servers. */
export function lanesOf(...sides) {
  const names = new Set(sides.flatMap(side => side.steps.map(step => step.caller)));
  const callers = [...names].filter(caller => caller !== SERVERS).sort();
  return names.has(SERVERS) ? [...callers, SERVERS] : callers;
}

/**
 * Finds the actual and presumed owners. A bar starts with a grant and ends with a release, a reported loss, a kill, or a final
 * rejected write. Its `pieces` overlap other bars: `race` if both wrote, `stale` if this is the older one and has written nothing
 * since the newer grant.
 *
 * @returns {{bars: object[], gone: object[], stops: object[]}} bars; locks left by killed processes; pauses
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

/** The older one no longer has the lock, even after the newer one has ended. */
function pieceOf(bar, other) {
  const isOlder = other.from > bar.from;
  return {
    kind: bar.harmless ? 'stale' : 'race',
    from: Math.max(bar.from, other.from),
    to: isOlder ? bar.to : Math.min(bar.to, other.to),
  };
}

/** The reply to a release may arrive after the next grant. */
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

/** From a kill to the next grant, when no caller works. */
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
