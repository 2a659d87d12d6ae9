import { shortFence, variantName } from './model.js';

/** Text on the page: status, results, table, log. */
const element = id => document.getElementById(id);
const number = value => (value === null || value === undefined ? '–' : value.toLocaleString('en').replaceAll(',', '\u202f'));

export function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function showStatus(state) {
  setText(element('status'), statusOf(state));
  element('status').dataset.kind = state.connected ? state.phase : 'unconnected';
}

function statusOf(state) {
  if (state.refused) {
    return 'The experiment is not offered here.';
  }
  if (!state.connected) {
    return state.everConnected ? 'The connection was lost; trying again …' : 'Connecting …';
  }
  if (state.run?.running) {
    return `Running ${state.run.variant} (${variantName(state, state.run.variant)}), ${state.run.requests} requests.`;
  }
  const phase = {
    absent: 'Not set up.',
    starting: 'Starting Redis servers and instances …',
    stopping: 'Ending what was started …',
    failed: 'The set-up failed.',
    ready: `Ready: ${state.instances.length} instances behind a reverse proxy.`,
  }[state.phase] ?? state.phase;
  if (state.phase === 'ready' && state.failure) {
    return state.failure;
  }
  const result = state.run?.result;
  if (state.phase !== 'ready' || !result) {
    return phase;
  }
  return result.lost > 0
    ? `${result.variant}: ${number(result.lost)} of ${number(result.answered)} updates lost.`
    : `${result.variant}: ${number(result.counter)} of ${number(result.answered)} counted${result.exact ? ', exact' : ''}.`;
}

export function showFigures(run) {
  const lost = run && run.expected !== null ? Math.max(0, run.result?.lost ?? run.expected - run.actual) : null;
  const texts = {
    expected: number(run?.expected),
    actual: number(run?.actual),
    lost: lost === null ? '–' : lost > 0 ? `✘ ${number(lost)}` : run.result?.exact ? '✔ 0' : '0',
    'at-once': run ? number(run.sweep.deepest) : '–',
    overlapped: run ? number(run.sweep.races + run.sweep.stale) : '–',
    'handed-over': run ? number(run.handedOver) : '–',
    'taken-over': run ? number(run.takenOver) : '–',
    losses: run ? number(run.losses) : '–',
    refused: run ? number(Math.max(run.refused, run.result?.refused ?? 0)) : '–',
    fence: shortFence(run?.lastFence),
  };
  for (const [id, text] of Object.entries(texts)) {
    setText(element(id), text);
  }
  element('fence').title = run?.lastFence ? String(run.lastFence) : '';
  element('lost-figure').dataset.kind = lost > 0 ? 'wrong' : run?.result?.exact ? 'exact' : '';
  const overlap = run?.sweep.races > 0 ? 'wrong' : run?.sweep.stale > 0 ? 'stale' : '';
  element('at-once').dataset.kind = overlap;
  element('overlapped').dataset.kind = overlap;
}

export function showResults(state) {
  const body = document.querySelector('#results tbody');
  const key = state.results.map(result => result.run).join();
  if (body.dataset.key !== key) {
    body.dataset.key = key;
    body.replaceChildren(...[...state.results].reverse().map(result => resultRow(state, result)));
  }
  element('results').hidden = state.results.length === 0;
  element('no-results').hidden = state.results.length > 0;
}

function resultRow(state, result) {
  const row = document.createElement('tr');
  row.dataset.variant = result.variant;
  row.dataset.exact = result.exact;
  const lost = result.lost > 0 ? `✘ ${number(result.lost)} lost` : result.exact ? '✔ exact' : '0';
  const cells = [
    ['Run', result.run],
    ['Variant', `${result.variant} ${variantName(state, result.variant)}`],
    ['Answered', `${number(result.answered)} of ${number(result.requests)}`],
    ['Counter', number(result.counter)],
    ['Lost', lost],
    ['Refused', number(result.refused)],
    ['Retried', number(result.retried)],
    ['Seconds', result.seconds?.toFixed(2) ?? '–'],
    ['p50, p99 ms', [result.p50, result.p99].map(ms => ms?.toFixed(0) ?? '–').join(', ')],
    ['Per instance', Object.entries(result.perInstance ?? {}).map(([id, count]) => `${id}\u00a0${count}`).join(' · ')],
    ['Faults', result.faults?.join('; ') || '–'],
  ];
  for (const [label, text] of cells) {
    const cell = document.createElement(label === 'Run' ? 'th' : 'td');
    if (label === 'Run') {
      cell.scope = 'row';
    }
    cell.dataset.label = label;
    cell.textContent = text ?? '–';
    if (label === 'Lost') {
      cell.className = result.lost > 0 ? 'wrong' : result.exact ? 'exact' : '';
    }
    row.append(cell);
  }
  return row;
}

export function showLog(state) {
  const list = element('log');
  if (list.logged !== state.logged) {
    list.logged = state.logged;
    list.replaceChildren(...state.log.map(logItem).reverse());
  }
}

function logItem({ kind, at, text }) {
  const item = document.createElement('li');
  item.dataset.kind = kind;
  const time = document.createElement('time');
  time.textContent = at === null || at === undefined ? '' : `${(at / 1000).toFixed(3)} s`;
  const words = document.createElement('span');
  words.textContent = text;
  item.append(time, words);
  return item;
}
