import { endOf } from './overlaps.js';
import { shortFence } from './model.js';

/** Draws a run onto a canvas: the axis, a strip with the number of open sections, and a lane per instance. In CSS pixels. */
export const AXIS = 24;
export const STRIP = 44;
const GAP = 6;
const MOST_ROWS = 18;

export function heights(run, lanes, narrow) {
  const lane = narrow ? 56 : 68;
  return { lane, total: AXIS + STRIP + lanes * lane + GAP };
}

export function draw(context, size, run, view, colours) {
  const frame = { context, size, run, view, colours, x: at => ((at - view.from) / (view.to - view.from)) * size.width };
  context.clearRect(0, 0, size.width, size.height);
  drawAxis(frame);
  drawStrip(frame);
  run.instances.forEach((instance, index) => drawLane(frame, instance, laneTop(size, index)));
  drawConnections(frame);
  drawMarks(frame);
}

export const laneTop = (size, index) => AXIS + STRIP + index * size.lane;

/** The section at a point, if any; thin bars have a larger target. */
export function sectionAt(run, size, view, x, y) {
  const instance = run.instances[Math.floor((y - AXIS - STRIP) / size.lane)];
  const at = view.from + (x / size.width) * (view.to - view.from);
  const reach = ((view.to - view.from) / size.width) * 4;
  let best = null;
  let nearest = Infinity;
  for (const section of run.sections) {
    if (section.instance === instance) {
      const distance = Math.max(section.from - at, at - endOf(section, run.clock), 0);
      if (distance <= reach && distance < nearest) {
        best = section;
        nearest = distance;
      }
    }
  }
  return best;
}

function drawAxis({ context, size, view, colours, x }) {
  const step = tickStep((view.to - view.from) / (size.width / 90));
  context.font = font(11);
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    context.fillStyle = colours.line;
    context.fillRect(Math.round(x(at)), AXIS - 6, 1, size.height - AXIS);
    context.fillStyle = colours.muted;
    context.fillText(time(at, step), Math.round(x(at)) + 3, AXIS / 2);
  }
}

function tickStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least);
}

const time = (at, step) =>
  step >= 100 ? `${(at / 1000).toFixed(step >= 1000 ? 0 : 1)} s` : `${at.toFixed(step >= 1 ? 0 : 2)} ms`;

/** The number of open sections: one is a low band, more rise above it. */
function drawStrip({ context, size, run, view, colours, x }) {
  const bottom = AXIS + STRIP - GAP;
  const height = STRIP - GAP - 4;
  const deepest = Math.max(2, run.sweep.deepest);
  for (const step of run.sweep.steps) {
    if (step.to >= view.from && step.from <= view.to) {
      const left = x(step.from);
      const tall = (step.depth / deepest) * height;
      context.fillStyle = { alone: colours.held, race: colours.race, stale: colours.stale }[step.kind];
      context.fillRect(left, bottom - tall, Math.max(x(step.to) - left, 0.7), tall);
    }
  }
  context.fillStyle = colours.line;
  context.fillRect(0, bottom, size.width, 1);
}

function drawLane(frame, instance, top) {
  const { context, size, run, colours } = frame;
  context.fillStyle = colours.line;
  context.fillRect(0, top + size.lane - 1, size.width, 1);
  drawWaiting(frame, instance, top);
  drawPauses(frame, instance, top);
  const rows = Math.min(Math.max(run.rows[instance]?.length ?? 1, 1), MOST_ROWS);
  const area = { top: top + 16, height: size.lane - 22 };
  const height = Math.min(area.height / rows, 26);
  for (const section of run.sections) {
    if (section.instance === instance) {
      drawSection(frame, section, area.top + (section.row % rows) * height, rows > 6 ? height : height - 1);
    }
  }
}

function drawWaiting({ context, size, run, view, colours, x }, instance, top) {
  const samples = run.waiting[instance] ?? [];
  if (samples.length === 0) {
    return;
  }
  const most = Math.max(1, ...Object.values(run.waiting).map(all => all.reduce((max, one) => Math.max(max, one.count), 0)));
  const bottom = top + size.lane - 2;
  const height = size.lane - 18;
  context.fillStyle = colours.waiting;
  context.beginPath();
  context.moveTo(x(samples[0].at), bottom);
  let last = 0;
  for (const { at, count } of samples) {
    context.lineTo(x(at), bottom - (last / most) * height);
    context.lineTo(x(at), bottom - (count / most) * height);
    last = count;
  }
  const end = run.running ? run.clock : samples.at(-1).at;
  context.lineTo(x(Math.min(end, view.to)), bottom - (last / most) * height);
  context.lineTo(x(Math.min(end, view.to)), bottom);
  context.fill();
}

function drawPauses({ context, size, run, colours, x }, instance, top) {
  for (const pause of run.pauses) {
    if (pause.instance === instance) {
      const left = x(pause.from);
      hatch(context, left, top + 1, x(pause.to ?? run.clock) - left, size.lane - 3, colours.paused, 7);
    }
  }
}

function drawSection({ context, size, run, view, colours, x }, section, top, height) {
  const to = endOf(section, run.clock);
  if (to < view.from || section.from > view.to) {
    return;
  }
  const left = x(section.from);
  const width = Math.max(x(to) - left, 1);
  context.fillStyle = colours.held;
  context.fillRect(left, top, width, height);
  if (section.path === 'handed_over' && height > 6) {
    context.fillStyle = colours.handed;
    context.fillRect(left, top + height - 4, width, 4);
  }
  for (const piece of section.pieces) {
    drawPiece(context, colours, piece, x(piece.from), x(piece.to), top, height);
  }
  if (width > 3 && height > 3) {
    context.fillStyle = colours.surface;
    context.fillRect(left + width - 0.5, top, 0.5, height);
  }
  if (width > 56 && height > 12) {
    const from = Math.max(left, 0);
    const until = Math.min(left + width, size.width);
    const middle = (from + until) / 2;
    const piece = section.pieces.find(one => x(one.from) <= middle && x(one.to) >= middle);
    writeInside(context, colours, section, { from, until, y: top + height / 2 - 1, below: pieceColour(colours, piece) });
  }
  if (section === view.selected) {
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(left - 1, top - 1, width + 2, height + 2);
  }
}

function drawPiece(context, colours, piece, left, right, top, height) {
  const width = Math.max(right - left, 1);
  context.fillStyle = pieceColour(colours, piece);
  context.fillRect(left, top, width, height);
  if (width > 8 && height > 5) {
    hatch(context, left, top, width, height, colours.surface, 6, 1);
  }
}

const pieceColour = (colours, piece) => ({ race: colours.race, stale: colours.stale })[piece?.kind] ?? colours.held;

/** The value or fencing token, on a plain background, since hatching would make it unreadable. */
function writeInside(context, colours, section, { from, until, y, below }) {
  const text = section.fence === null ? `${section.read ?? '?'} → ${section.wrote ?? '?'}` : shortFence(section.fence);
  context.font = font(11);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const width = context.measureText(text).width + 6;
  if (until - from > width) {
    context.fillStyle = below;
    context.fillRect((from + until - width) / 2, y - 7, width, 14);
    context.fillStyle = colours.onHeld;
    context.fillText(text, (from + until) / 2, y);
  }
}

/** Lines from each holder to the next, where there is room. */
function drawConnections({ context, size, run, view, colours, x }) {
  const lane = instance => laneTop(size, run.instances.indexOf(instance)) + 16 + (size.lane - 22) / 4;
  context.strokeStyle = colours.muted;
  context.lineWidth = 1;
  for (const section of run.byFence) {
    const next = section.next;
    if (next && next.instance !== section.instance && next.from >= view.from && section.from <= view.to) {
      const left = x(Math.min(endOf(section, run.clock), next.from));
      const right = x(next.from);
      if (x(endOf(next, run.clock)) - x(section.from) > 24) {
        context.beginPath();
        context.moveTo(left, lane(section.instance));
        context.lineTo(right, lane(next.instance));
        context.stroke();
      }
    }
  }
}

/** Stems first, so that none crosses a flag. */
function drawMarks(frame) {
  const { size, run, view, x } = frame;
  const shown = run.marks
    .filter(mark => mark.at >= view.from && mark.at <= view.to)
    .map(mark => ({ ...mark, x: x(mark.at), lane: run.instances.indexOf(mark.instance) }));
  shown.forEach(mark => drawStem(frame, mark, size));
  const taken = new Map();
  shown.forEach(mark => drawFlag(frame, mark, taken));
}

const markTop = (size, mark) => (mark.lane < 0 ? AXIS : laneTop(size, mark.lane));

function drawStem({ context, colours }, mark, size) {
  const top = markTop(size, mark);
  const bottom = mark.lane < 0 ? size.height - GAP : top + size.lane - 2;
  context.fillStyle = flagColour(mark.kind, colours);
  context.fillRect(Math.round(mark.x) - 1, top, 2, bottom - top);
}

function drawFlag({ context, size, colours }, mark, taken) {
  const colour = flagColour(mark.kind, colours);
  context.font = font(11, true);
  const width = context.measureText(mark.text).width + 10;
  const left = Math.max(0, Math.min(mark.x, size.width - width));
  const places = taken.get(mark.lane) ?? [];
  let level = 0;
  while (level < 3 && places.some(place => place.level === level && left < place.right && left + width > place.left)) {
    level++;
  }
  places.push({ level, left, right: left + width + 2 });
  taken.set(mark.lane, places);
  const y = markTop(size, mark) + 1 + level * 16;
  context.fillStyle = colours.surface;
  context.fillRect(left, y, width, 15);
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, y + 0.75, width - 1.5, 13.5);
  context.fillStyle = colour;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(mark.text, left + 5, y + 8);
}

const flagColour = (kind, colours) =>
  ({ lost: colours.stale, refused: colours.race, takeover: colours.exact, start: colours.exact, resume: colours.exact, 'kept-lock': colours.exact })[kind] ??
  colours.text;

function hatch(context, left, top, width, height, colour, gap, line = 2) {
  if (width <= 0) {
    return;
  }
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.beginPath();
  const first = Math.max(left, 0) - height;
  const last = Math.min(left + width, context.canvas.width);
  for (let offset = first - (first % gap); offset < last; offset += gap) {
    context.moveTo(offset, top + height);
    context.lineTo(offset + height, top);
  }
  context.stroke();
  context.restore();
}

const font = (size, bold) => `${bold ? '600 ' : ''}${size}px system-ui, sans-serif`;
