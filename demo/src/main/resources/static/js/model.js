import { sweep } from './overlaps.js';

/**
 * The state of the page, from events only, without drawing, network or clock. `apply` changes it in place (a run has thousands
 * of events) and increments `version`, so that views detect changes.
 */
const LOG_LENGTH = 200;
const LATE = 500;

/** Consequences of a fault may arrive during the next run; their time is then far ahead. */
const SOON = 5000;

export function newState() {
  return {
    version: 0,
    connected: false,
    refused: null,
    everConnected: false,
    phase: 'absent',
    failure: null,
    topology: 'standalone',
    variants: [
      { id: 'v0', name: 'INCR' },
      { id: 'v1', name: 'no lock' },
      { id: 'v2', name: 'synchronized' },
      { id: 'v3', name: 'distributed lock' },
      { id: 'v4', name: 'Redlock' },
    ],
    instances: [],
    progress: [],
    results: [],
    run: null,
    log: [],
    logged: 0,
    gallery: null,
  };
}

export function apply(state, event) {
  state.version++;
  (handlers[event.type] ?? ignore)(state, event);
}

/** Analyses the whole run after each batch: overtaken holders and overlaps. */
export function settle(state) {
  const run = state.run;
  if (run && run.settled !== state.version) {
    findTakeovers(state, run);
    run.sweep = sweep(run.sections, run.clock);
    run.settled = state.version;
  }
}

/** Aligns the clocks: the event with the least delay gives the offset between the page and the run. */
export function arrived(state, now) {
  const run = state.run;
  if (run?.running && run.clock > 0) {
    run.began = Math.min(run.began, now - run.clock);
  }
}

/** Advances time without events, which are expected within 300 ms, so that a standstill is visible. */
export function tick(state, now) {
  const run = state.run;
  if (run?.running && now - run.began - 300 > run.clock) {
    run.clock = now - run.began - 300;
    state.version++;
  }
}

export function setConnected(state, connected) {
  if (state.connected && !connected && state.run?.running) {
    state.run.incomplete = true;
  }
  state.connected = connected;
  state.everConnected ||= connected;
  state.refused = connected ? null : state.refused;
  state.version++;
}

/** The application offers no experiment; the reason is for users. */
export function setRefused(state, reason) {
  state.refused = reason;
  state.version++;
}

export const variantName = (state, id) => state.variants.find(variant => variant.id === id)?.name ?? id;

const ignore = () => {};

const handlers = {
  state(state, event) {
    const { phase, failure, topology, variants, instances, results, run } = event;
    Object.assign(state, { phase, failure: failure ?? null, topology: topology ?? state.topology });
    state.variants = variants?.length ? variants : state.variants;
    state.instances = instances ?? [];
    state.results = results ?? [];
    state.progress = phase === 'starting' ? state.progress : [];
    if (run?.running && state.run?.id !== run.id) {
      state.run = newRun(run, state.instances.map(instance => instance.id));
      state.run.incomplete = true;
    } else if (state.run?.running && !run?.running) {
      end(state.run);
    }
  },

  progress(state, { text }) {
    state.progress = [...state.progress, text];
  },

  gallery(state, { seed, running, failure, exhibits, results }) {
    state.gallery = { seed, running: running ?? null, failure: failure ?? null, exhibits: exhibits ?? [], results: results ?? [] };
  },

  'run-started'(state, event) {
    state.run = newRun({ ...event, id: event.run }, event.instances);
    log(state, 'run', 0, `Run ${event.run} of ${event.variant} (${variantName(state, event.variant)}) started: ${event.requests} requests at once.`);
  },

  held(state, event) {
    const run = state.run;
    if (!run) {
      return;
    }
    const section = { ...event, fence: event.fence ?? null, to: null, outcome: null, next: null, pieces: [] };
    section.row = rowFor(run, section);
    if (section.from < run.killed[section.instance]) {
      Object.assign(section, { to: run.killed[section.instance], outcome: 'killed' });
    }
    run.byId.set(keyOf(event), section);
    run.sections.push(section);
    run.clock = Math.max(run.clock, section.from);
    if (section.path === 'handed_over') {
      run.handedOver++;
    }
    if (section.fence !== null) {
      insertByFence(run.byFence, section);
      run.lastFence = Math.max(run.lastFence ?? 0, section.fence);
    }
  },

  released(state, event) {
    const run = state.run;
    const section = run?.byId.get(keyOf(event));
    if (!section || (section.to !== null && section.outcome !== 'unknown')) {
      return;
    }
    const { to, read, wrote, outcome } = event;
    Object.assign(section, { to: Math.max(to, section.from), read, wrote, outcome });
    run.clock = Math.max(run.clock, to);
    if (outcome === 'refused') {
      run.refused++;
      mark(run, to, 'refused', section.instance, 'refused');
      log(state, 'refused', to, `The store rejected the late write of ${section.instance}: its fencing token ${shortFence(section.fence)} is old.`);
    } else if (outcome === 'failed') {
      log(state, 'failed', to, `A request of ${section.instance} failed inside the section.`);
    }
  },

  waiting(state, event) {
    const run = state.run;
    if (run) {
      (run.waiting[event.instance] ??= []).push({ at: event.at, count: event.count });
      run.clock = Math.max(run.clock, event.at);
    }
  },

  counter(state, event) {
    const run = state.run;
    if (run) {
      Object.assign(run, { expected: event.expected, actual: event.actual, clock: Math.max(run.clock, event.at) });
    }
  },

  lost(state, event) {
    const run = state.run;
    if (run) {
      run.losses++;
      mark(run, event.at, 'lost', event.instance, 'lost');
      const reason = event.reason ? ` (${String(event.reason).toLowerCase().replaceAll('_', ' ')})` : '';
      log(state, 'lost', event.at, `${event.instance} detected that it had lost the lock${reason}.`);
    }
  },

  interference(state, event) {
    const run = state.run;
    const ofThisRun = run && event.at <= run.clock + (run.running ? SOON : LATE);
    if (ofThisRun && event.kind === 'next-owner') {
      logNextOwner(state, run, event); // its section has its own flag
      return;
    }
    log(state, 'fault', ofThisRun ? event.at : null, sentence(event.text));
    if (!ofThisRun) {
      return;
    }
    run.clock = Math.max(run.clock, event.at);
    mark(run, event.at, event.kind, event.instance ?? null, flagOf(event));
    if (STOPS.includes(event.kind)) {
      run.pauses.push({ instance: event.instance, from: event.at, to: null });
    } else if (event.kind === 'resume') {
      closePauses(run, event);
    } else if (event.kind === 'kill-holder') {
      closePauses(run, event);
      killSections(run, event);
    }
  },

  'run-finished'(state, event) {
    if (state.run) {
      state.run.expected = event.answered;
      state.run.actual = event.counter;
      state.run.result = event;
      end(state.run);
    }
    if (!state.results.some(result => result.run === event.run)) {
      state.results = [...state.results, event];
    }
    log(state, event.exact ? 'exact' : 'wrong', event.seconds * 1000, verdict(event));
  },
};

export function verdict(result) {
  const counted = `Run ${result.run}, ${result.variant}: ${result.answered} requests answered, counter ${result.counter}`;
  if (result.lost > 0) {
    return `${counted}: ${result.lost} updates lost.`;
  }
  return result.exact ? `${counted}: exact.` : `${counted}.`;
}

/** The last digits of a fencing token, which has 16. */
export const shortFence = fence => (fence === null || fence === undefined ? '–' : `…${String(fence).slice(-6)}`);

function newRun(run, instances) {
  return {
    id: run.id,
    variant: run.variant,
    requests: run.requests,
    instances: instances ?? [],
    running: true,
    incomplete: false,
    result: null,
    clock: 0,
    began: Infinity,
    sections: [],
    byId: new Map(),
    byFence: [],
    rows: {},
    waiting: {},
    pauses: [],
    killed: {},
    marks: [],
    expected: null,
    actual: null,
    handedOver: 0,
    takenOver: 0,
    refused: 0,
    losses: 0,
    lastFence: null,
    settled: -1,
    sweep: { steps: [], deepest: 0, races: 0, stale: 0 },
  };
}

/** A replaced instance restarts its section numbers; the key then refers to the newer section. */
const keyOf = event => `${event.instance}/${event.id}`;

function end(run) {
  run.running = false;
  for (const pause of run.pauses) {
    pause.to ??= run.clock;
  }
  for (const section of run.sections) {
    if (section.to === null) {
      section.to = section.next ? Math.max(section.from, section.next.from) : run.clock;
      section.outcome ??= 'unknown';
    }
  }
}

/** The first free row of the instance's lane, since overlapping sections of an instance are stacked. */
function rowFor(run, section) {
  const rows = (run.rows[section.instance] ??= []);
  let row = rows.findIndex(last => last.to !== null && last.to <= section.from);
  if (row < 0) {
    row = rows.length;
  }
  rows[row] = section;
  return row;
}

function insertByFence(byFence, section) {
  let index = byFence.length;
  while (index > 0 && byFence[index - 1].fence > section.fence) {
    index--;
  }
  byFence.splice(index, 0, section);
  section.next = byFence[index + 1] ?? null;
  if (index > 0) {
    byFence[index - 1].next = section;
  }
}

function findTakeovers(state, run) {
  for (const older of run.byFence) {
    const newer = older.next;
    if (!newer || older.overtaken) {
      continue;
    }
    const gone = older.outcome === 'killed';
    const stale = older.to === null ? run.clock - newer.from > LATE : older.to > newer.from;
    if (gone || stale) {
      older.overtaken = true;
      run.takenOver++;
      const tookOver = newer.path === 'taken_over';
      const tokens = `fencing token ${shortFence(newer.fence)} after ${shortFence(older.fence)}.`;
      mark(run, newer.from, 'takeover', newer.instance, tookOver ? 'took over' : 'next owner');
      const entry = log(state, 'takeover', newer.from, `${newer.instance} ${tookOver ? 'took the lock over from' : 'got the lock next, after'} ${older.instance}: ${tokens}`);
      Object.assign(entry, { owner: newer.instance, tokens });
    }
  }
}

/** The fencing tokens of sections also reveal the next owner: one log entry for both. */
function logNextOwner(state, run, event) {
  run.clock = Math.max(run.clock, event.at);
  findTakeovers(state, run);
  const found = state.log.findLast(entry => entry.kind === 'takeover' && entry.run === run.id && entry.owner === event.instance);
  if (found) {
    found.text = `${event.text}: ${found.tokens}`;
    state.logged++;
  } else {
    log(state, 'takeover', event.at, sentence(event.text));
  }
}

function closePauses(run, event) {
  for (const pause of run.pauses) {
    if (pause.instance === event.instance) {
      pause.to ??= event.at;
    }
  }
}

/** The killed instance may have reported its sections as failed just before. */
function killSections(run, event) {
  run.killed[event.instance] = event.at;
  for (const section of run.sections) {
    const cutOff = section.to === null || (section.outcome === 'failed' && section.to > event.at - LATE);
    if (section.instance === event.instance && cutOff) {
      section.to ??= Math.max(section.from, event.at);
      section.outcome = 'killed';
    }
  }
}

const sentence = text => (/[.!?…]$/.test(text) ? text : `${text}.`);

const STOPS = ['pause-holder', 'stop-holder'];

const FLAGS = {
  'pause-holder': 'stopped',
  'stop-holder': 'stopped',
  'kept-lock': 'kept the lock',
  resume: 'goes on',
  'kill-holder': 'killed',
  start: 'restarted',
  'delete-key': 'key deleted',
  'fail-over': 'failover',
  'fail-over-twice': 'two failovers',
  'move-clock': 'clock moved',
  'restart-redis': 'Redis restarted',
};

const flagOf = event => FLAGS[event.kind] ?? event.kind.replaceAll('-', ' ');

function mark(run, at, kind, instance, text) {
  run.marks.push({ at, kind, instance, text });
  run.marks.sort((a, b) => a.at - b.at);
}

/** Sorts by time, since instances report events late. */
function log(state, kind, at, text) {
  const run = state.run?.id ?? null;
  const later = at === null ? -1 : state.log.findIndex(entry => entry.run === run && entry.at !== null && entry.at > at);
  const entry = { kind, at, text, run };
  state.log.splice(later < 0 ? state.log.length : later, 0, entry);
  state.logged++;
  if (state.log.length > LOG_LENGTH) {
    state.log.shift();
  }
  return entry;
}
