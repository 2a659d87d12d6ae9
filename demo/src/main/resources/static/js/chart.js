import { interleave } from './interleaving.js';
import { shape } from './nodes.js';

/**
 * Draws the steps of one side of an exhibit as SVG: a lane per caller and one for the servers, a numbered column per step.
 * Long gaps are shortened, so each column has its time.
 */
export const HEAD = 36;
export const LANE = 34;
const LEAST = 21;
const EDGE = 14;
const BAR = 16;
const TIME_WIDTH = 52;

/** Symbols of steps. */
export const SIGNS = {
  acquire: '?', granted: '✓', refused: '–', read: 'R', write: 'W', 'write-refused': 'W', release: '○',
  stopped: '‖', 'goes-on': '▸', killed: '✕', fault: '!', lost: '!',
};

export const leastWidth = steps => 2 * EDGE + steps.length * LEAST;

export function drawSteps(steps, lanes, width, label) {
  const places = placesOf(steps, width);
  const height = HEAD + lanes.length * LANE + 2;
  const top = caller => HEAD + lanes.indexOf(caller) * LANE;
  const svg = shape('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
  const { bars, gone, stops } = interleave(steps);
  svg.append(
    ...lanes.map(lane => shape('line', { class: 'lane-line', x1: 0, x2: width, y1: top(lane) + LANE, y2: top(lane) + LANE })),
    ...columnsOf(steps, places, height),
    ...stops.map(stop => block('stop', places, stop, top(stop.caller), LANE - 4)),
    ...gone.map(lock => block('left-behind', places, lock, top(lock.caller), BAR)),
    ...bars.flatMap(bar => [
      block('holding', places, bar, top(bar.caller), BAR),
      ...bar.pieces.flatMap(piece => [`piece ${piece.kind}`, 'hatched'].map(kind => block(kind, places, piece, top(bar.caller), BAR))),
    ]),
    ...steps.map((step, index) => mark(step, index, places[index], top(step.caller) + LANE / 2)),
  );
  return svg;
}

/** Positions of the steps and the end of the drawing. Widths grow with gaps, but much less than in proportion. */
function placesOf(steps, width) {
  const weights = steps.map((step, index) => (index === 0 ? 0 : 1 + Math.log10(1 + Math.max(0, step.at - steps[index - 1].at))));
  const room = width - 2 * EDGE - LEAST - LEAST * Math.max(0, steps.length - 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  let x = EDGE;
  const places = weights.map((weight, index) => (x += index === 0 ? 0 : LEAST + (weight / whole) * Math.max(0, room)));
  return [...places, width];
}

function block(kind, places, { from, to }, top, height) {
  return shape('rect', {
    class: kind, x: places[from], width: Math.max(places[to] - places[from], 1), y: top + (LANE - height) / 2, height,
  });
}

function columnsOf(steps, places, height) {
  let free = 0;
  return steps.flatMap(({ at }, index) => {
    const x = places[index];
    const column = [
      shape('line', { class: 'column', x1: x, x2: x, y1: HEAD - 4, y2: height }),
      shape('text', { class: 'number', x, y: 13 }, String(index + 1)),
    ];
    const left = Math.max(0, x - 12);
    if (left >= free && left + TIME_WIDTH - 8 < places.at(-1)) {
      free = left + TIME_WIDTH;
      column.push(shape('text', { class: 'time', x: left, y: 28 }, timeOf(at)));
    }
    return column;
  });
}

export const timeOf = ms => (ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`);

function mark(step, index, x, y) {
  const title = shape('title', {}, `${index + 1}. ${timeOf(step.at)}, ${step.caller}: ${step.text}`);
  const group = shape('g', { class: `mark ${step.kind}`, 'data-step': index }, title,
    shape('circle', { cx: x, cy: y, r: 8.5 }),
    shape('text', { x, y: y + 4 }, SIGNS[step.kind] ?? '·'));
  if (step.kind === 'write-refused') {
    group.append(shape('line', { x1: x - 6, y1: y + 6, x2: x + 6, y2: y - 6 }));
  }
  return group;
}
