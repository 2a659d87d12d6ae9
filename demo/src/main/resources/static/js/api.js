/** A rejected or unanswered request; the message is for users. */
export class Problem extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

const sentence = (problem, response) => {
  const text = problem?.detail || problem?.title || `The server answered ${response.status} ${response.statusText}`;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
};

async function send(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body ? { 'Content-Type': 'application/json' } : {},
      body: body ? JSON.stringify(body) : undefined,
    });
  } catch {
    throw new Problem('The application does not answer. Does it still run?', 0);
  }
  const text = await response.text();
  const json = parse(text);
  if (!response.ok) {
    throw new Problem(sentence(json, response), response.status);
  }
  return json;
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

export const readState = () => send('GET', 'experiment');
export const setUp = (instances, topology) => send('PUT', 'experiment', { instances, topology });
export const takeDown = () => send('DELETE', 'experiment');
/** The fault, if any, occurs during the run. */
export const startRun = (variant, requests, fault) => send('POST', 'experiment/runs', { variant, requests, fault });
export const cancelRun = () => send('DELETE', 'experiment/runs/current');
export const perform = (name, pause) =>
  send('POST', `experiment/faults/${name}${name === 'pause-holder' ? `?for=${encodeURIComponent(pause)}` : ''}`);

/** Plays an exhibit, or `all`. */
export const play = (exhibit, seed) => send('POST', `experiment/gallery/${encodeURIComponent(exhibit)}?seed=${seed}`);
export const stopPlaying = () => send('DELETE', 'experiment/gallery/current');
export const offer = (product, stock) => send('POST', 'sales', { product, stock });
/** Each buyer sends two requests at once. `way` is `locked` or `unlocked`. */
export const sellToCrowd = (product, buyers, way) =>
  send('POST', `sales/${product}/purchases/${way === 'locked' ? '' : 'unlocked/'}burst?buyers=${buyers}`);
