/** How long after a newer grant an event of the older holder may still be on its way, in ms. */
const LATE = 500;

/** When a section ended as far as is known: an open one lasts until now, or until a newer grant if it only seems open. */
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
 * Sweeps over the sections of a run. Finds how many were inside at once at each time, and gives each section its `pieces`:
 * the parts during which it overlapped another. Without fencing tokens an overlap is a `race`: nothing decides who writes
 * last. With them it is `stale`, and a piece of who goes on after somebody newer was granted the lock: its write is refused.
 *
 * @returns {{steps: {from, to, depth, kind}[], deepest: number, overlapped: number}} overlapped counts sections in a race
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
  const overlapped = sections.filter(section => section.pieces.some(piece => piece.kind === 'race')).length;
  return { steps, deepest, overlapped };
}

function kindOf(inside, newest) {
  let kind = 'alone';
  for (const section of inside) {
    if (section.fence === null) {
      return inside.size > 1 ? 'race' : 'alone';
    }
    if (section.fence < newest) {
      kind = 'stale';
    }
  }
  return kind;
}

function cut(inside, newest, { from, to, kind }) {
  for (const section of inside) {
    if (kind === 'stale' && section.fence === newest) {
      continue;
    }
    const last = section.pieces.at(-1);
    if (last && last.to === from && last.kind === kind) {
      last.to = to;
    } else {
      section.pieces.push({ from, to, kind });
    }
  }
}
