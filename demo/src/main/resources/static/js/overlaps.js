/** Longest delay, in ms, of an event of the older holder after a newer grant. */
const LATE = 500;

/** The end of a section: for an open one, now, or a newer grant if its end event is only late. */
export function endOf(section, clock) {
  if (section.to !== null) {
    return section.to;
  }
  if (section.next && clock - section.next.from < LATE) {
    return Math.max(section.from, section.next.from);
  }
  return Math.max(section.from, clock);
}

/**
 * Sweeps over the sections of a run: counts open sections over time, and gives each section the `pieces` that overlap others.
 * An overlap without fencing tokens, or with equal ones, is a `race`, whose last write wins. With fencing tokens it is `stale`
 * and belongs to the older section, whose write is rejected.
 *
 * @returns {{steps: {from, to, depth, kind}[], deepest: number, races: number, stale: number}} `races` and `stale` count sections
 */
export function sweep(sections, clock) {
  const edges = [];
  for (const section of sections) {
    section.pieces = [];
    const to = endOf(section, clock);
    if (to > section.from) {
      edges.push({ at: section.from, opens: true, section }, { at: to, opens: false, section });
    }
  }
  edges.sort((a, b) => a.at - b.at || a.opens - b.opens);
  const inside = new Set();
  const steps = [];
  let deepest = 0;
  let newest = 0;
  edges.forEach((edge, index) => {
    if (edge.opens) {
      inside.add(edge.section);
      newest = Math.max(newest, edge.section.fence ?? 0);
    } else {
      inside.delete(edge.section);
    }
    const until = edges[index + 1]?.at ?? edge.at;
    if (inside.size > 0 && until > edge.at) {
      const kind = kindOf(inside, newest);
      steps.push({ from: edge.at, to: until, depth: inside.size, kind });
      deepest = Math.max(deepest, inside.size);
      if (kind !== 'alone') {
        cut(inside, newest, { from: edge.at, to: until, kind });
      }
    }
  });
  const count = kind => sections.filter(section => section.pieces.some(piece => piece.kind === kind)).length;
  return { steps, deepest, races: count('race'), stale: count('stale') };
}

function kindOf(inside, newest) {
  let stale = 0;
  for (const section of inside) {
    stale += section.fence !== null && section.fence < newest ? 1 : 0;
  }
  return inside.size - stale > 1 ? 'race' : stale > 0 ? 'stale' : 'alone';
}

function cut(inside, newest, { from, to, kind }) {
  for (const section of inside) {
    const own = section.fence !== null && section.fence < newest ? 'stale' : kind;
    if (own === 'stale' && section.fence === newest) {
      continue;
    }
    const last = section.pieces.at(-1);
    if (last && last.to === from && last.kind === own) {
      last.to = to;
    } else {
      section.pieces.push({ from, to, kind: own });
    }
  }
}
