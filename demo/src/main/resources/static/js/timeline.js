import { draw, heights, sectionAt, AXIS, STRIP } from './scene.js';
import { endOf } from './overlaps.js';
import { setText } from './views.js';

const SHORTEST = 0.5;
const NARROW = 640;

/** The timeline of a run: the visible part, and its control by mouse, touch, keys and buttons. */
export class Timeline {
  #plot = document.getElementById('plot');
  #canvas = document.getElementById('canvas');
  #heads = document.getElementById('lane-heads');
  #detail = document.getElementById('detail');
  #summary = document.getElementById('plot-summary');
  #context = this.#canvas.getContext('2d');
  #colours = readColours();
  #view = { from: 0, to: 1000, selected: null };
  #fits = true;
  #run = null;
  #pointers = new Map();
  #size = null;
  #redraw;

  constructor(redraw) {
    this.#redraw = redraw;
    new ResizeObserver(() => redraw()).observe(this.#plot);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#colours = readColours();
      redraw();
    });
    this.#listen();
  }

  show(run, instances) {
    if (run !== this.#run) {
      this.#run = run;
      this.#view.selected = null;
      this.#fits = true;
      this.#detail.textContent = '';
    }
    if (this.#fits) {
      this.#fit();
    }
    const shown = run ?? { instances: instances.map(one => one.id) };
    this.#layOut(shown.instances.length);
    this.#showHeads(shown.instances, instances, run);
    if (run) {
      draw(this.#context, this.#size, run, this.#view, this.#colours);
      this.#summary.textContent = summaryOf(run);
    } else {
      this.#context.clearRect(0, 0, this.#size.width, this.#size.height);
    }
  }

  #layOut(lanes) {
    const width = this.#plot.clientWidth;
    const narrow = innerWidth < NARROW;
    const { lane, total } = heights(this.#run, Math.max(lanes, 1), narrow);
    const ratio = devicePixelRatio || 1;
    this.#size = { width, height: total, lane };
    if (this.#canvas.width !== Math.round(width * ratio) || this.#canvas.height !== Math.round(total * ratio)) {
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(total * ratio);
      this.#canvas.style.height = `${total}px`;
    }
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#heads.style.setProperty('--axis', `${AXIS}px`);
    this.#heads.style.setProperty('--strip', `${STRIP}px`);
    this.#heads.style.setProperty('--lane', `${lane}px`);
  }

  #showHeads(names, instances, run) {
    if (this.#heads.dataset.names !== names.join()) {
      this.#heads.dataset.names = names.join();
      this.#heads.replaceChildren(head('strip-head', 'at once'), ...names.map(name => head('lane-head', name)));
    }
    const [strip, ...lanes] = this.#heads.children;
    setHead(strip, run ? `most ${run.sweep.deepest}` : '', '');
    names.forEach((name, index) => {
      const instance = instances.find(one => one.id === name);
      const waiting = run?.waiting[name]?.at(-1)?.count ?? 0;
      lanes[index].dataset.state = instance?.state ?? 'down';
      setHead(lanes[index], STATES[instance?.state] ?? STATES.down, run?.running ? `${waiting} wait` : instance?.pid ? `pid ${instance.pid}` : '');
    });
  }

  zoom(how) {
    const middle = (this.#view.from + this.#view.to) / 2;
    switch (how) {
      case 'in': return this.#scale(0.5, middle);
      case 'out': return this.#scale(2, middle);
      case 'closest': return this.#lookClosely();
      default:
        this.#fits = true;
        return this.#redraw();
    }
  }

  #end() {
    return Math.max(this.#run?.clock ?? 0, 50) * 1.02;
  }

  #fit() {
    this.#view.from = 0;
    this.#view.to = this.#end();
  }

  #set(from, to) {
    const span = Math.min(Math.max(to - from, SHORTEST), this.#end());
    const start = Math.min(Math.max(from, -span * 0.1), this.#end() - span * 0.9);
    this.#view.from = start;
    this.#view.to = start + span;
    this.#fits = false;
    this.#redraw();
  }

  #scale(factor, at) {
    const { from, to } = this.#view;
    this.#set(at - (at - from) * factor, at + (to - at) * factor);
  }

  #move(share) {
    const { from, to } = this.#view;
    this.#set(from + share * (to - from), to + share * (to - from));
  }

  /** Zooms in on about twelve sections around the first overlap or loss, or the middle. */
  #lookClosely() {
    const run = this.#run;
    if (!run || run.sections.length === 0) {
      return;
    }
    const ordered = [...run.sections].sort((a, b) => a.from - b.from);
    const mark = run.marks.find(one => one.kind === 'lost' || one.kind === 'refused' || one.kind === 'takeover');
    const at = mark?.at ?? ordered[Math.floor(ordered.length / 2)].from;
    const index = Math.max(0, ordered.findIndex(section => section.from >= at) - 6);
    const last = ordered[Math.min(index + 12, ordered.length - 1)];
    this.#set(ordered[index].from, Math.max(endOf(last, run.clock), ordered[index].from + SHORTEST));
  }

  #step(direction) {
    const run = this.#run;
    if (!run || run.sections.length === 0) {
      return;
    }
    const ordered = [...run.sections].sort((a, b) => a.from - b.from);
    const { from, to, selected } = this.#view;
    const start = selected ? ordered.indexOf(selected) + direction : ordered.findIndex(section => section.from >= from);
    const section = ordered[Math.min(Math.max(start, 0), ordered.length - 1)];
    if (section.from < from || section.from > to) {
      const span = to - from;
      this.#set(section.from - span / 2, section.from + span / 2);
    }
    this.#select(section);
  }

  #select(section) {
    this.#view.selected = section;
    this.#detail.textContent = section ? describe(section, this.#run) : '';
    this.#redraw();
  }

  #listen() {
    const plot = this.#plot;
    plot.addEventListener('keydown', event => this.#onKey(event));
    plot.addEventListener('wheel', event => this.#onWheel(event), { passive: false });
    plot.addEventListener('pointerdown', event => {
      plot.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, { x: event.offsetX, start: event.offsetX });
    });
    plot.addEventListener('pointermove', event => this.#onPointerMove(event));
    plot.addEventListener('pointerup', event => this.#onPointerUp(event));
    plot.addEventListener('pointercancel', event => this.#pointers.delete(event.pointerId));
  }

  #onKey(event) {
    const action = {
      ArrowLeft: () => this.#move(-0.2),
      ArrowRight: () => this.#move(0.2),
      '+': () => this.zoom('in'),
      '=': () => this.zoom('in'),
      '-': () => this.zoom('out'),
      0: () => this.zoom('fit'),
      Home: () => this.#move(-1e6),
      End: () => this.#move(1e6),
      ',': () => this.#step(-1),
      '.': () => this.#step(1),
      Escape: () => this.#select(null),
    }[event.key];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  }

  #onWheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.#scale(Math.exp(event.deltaY / 300), this.#timeAt(event.offsetX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.#move((event.deltaX || event.deltaY) / this.#size.width);
    }
  }

  #onPointerMove(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer || !this.#run) {
      return;
    }
    const other = [...this.#pointers.values()].find(one => one !== pointer);
    if (other) {
      const before = Math.max(Math.abs(pointer.x - other.x), 10);
      const after = Math.max(Math.abs(event.offsetX - other.x), 10);
      this.#scale(before / after, this.#timeAt(other.x));
    } else {
      this.#move((pointer.x - event.offsetX) / this.#size.width);
    }
    pointer.x = event.offsetX;
  }

  #onPointerUp(event) {
    const pointer = this.#pointers.get(event.pointerId);
    this.#pointers.delete(event.pointerId);
    if (pointer && this.#run && Math.abs(event.offsetX - pointer.start) < 4) {
      this.#select(sectionAt(this.#run, this.#size, this.#view, event.offsetX, event.offsetY));
    }
  }

  #timeAt(x) {
    return this.#view.from + (x / this.#size.width) * (this.#view.to - this.#view.from);
  }
}

function head(kind, name) {
  const element = document.createElement('div');
  element.className = kind;
  const title = document.createElement('b');
  title.textContent = name;
  const state = document.createElement('span');
  state.className = 'state';
  const queue = document.createElement('span');
  queue.className = 'queue';
  element.append(title, state, queue);
  return element;
}

function setHead(element, state, queue) {
  setText(element.querySelector('.state'), state);
  setText(element.querySelector('.queue'), queue);
}

const STATES = { up: '● up', paused: '❚❚ paused', down: '✕ down' };

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour('text'), muted: colour('muted'), line: colour('line'), surface: colour('surface'),
    held: colour('held'), onHeld: colour('on-held'), handed: colour('handed'), race: colour('race'),
    stale: colour('stale'), exact: colour('exact'), paused: colour('paused'), waiting: colour('waiting'),
  };
}

function summaryOf(run) {
  if (run.variant === 'v0') {
    return 'No critical sections: Redis increments the counter itself.';
  }
  const { deepest, races, stale } = run.sweep;
  const sections = `${run.sections.length} critical sections seen`;
  const gap = run.incomplete ? ' The page was disconnected for a while: some are missing.' : '';
  if (races > 0) {
    return `${sections}; ${races} of them overlapped another, up to ${deepest} at once.${gap}`;
  }
  return `${sections}; ${deepest > 1 ? `up to ${deepest} believed to hold the lock at once` : 'never two at once'}.${gap}`;
}

const OUTCOMES = {
  refused: 'The store rejected the write.',
  lost: 'It detected that it had lost the lock.',
  failed: 'It failed.',
  killed: 'It was killed.',
};

const PATHS = { immediate: 'got the lock at once', waited: 'waited', handed_over: 'was handed the lock by its own instance', taken_over: 'took the lock over from a crashed instance' };

function describe(section, run) {
  const end = endOf(section, run.clock);
  const took = `${section.from.toFixed(1)} to ${end.toFixed(1)} ms (${(end - section.from).toFixed(1)} ms)`;
  const values = section.wrote === undefined || section.wrote === null ? '' : ` Read ${section.read}, wrote ${section.wrote}.`;
  const overlap = section.pieces.some(piece => piece.kind === 'race') ? ' Another was inside at the same time.' : '';
  if (section.fence === null) {
    return `${section.instance}, ${took}.${values}${overlap}`;
  }
  const waited = section.waited ? ` after ${section.waited.toFixed(0)} ms` : '';
  return `${section.instance}, ${took}: ${PATHS[section.path] ?? section.path ?? 'got the lock'}${waited}, fencing token ${section.fence}.${values} ${OUTCOMES[section.outcome] ?? ''}`.trim();
}
