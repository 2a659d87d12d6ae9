import { drawSteps, leastWidth, timeOf, HEAD, LANE, SIGNS } from './chart.js';
import { lanesOf } from './interleaving.js';
import { node } from './nodes.js';

/** The results of the broken lock and the starter side by side: numbers, a drawing and the steps of each. */
export class Outcome {
  #drawings = [];

  /** Creates the element; `fit` draws once its width is known. */
  build(title, { broken, ours }) {
    const lanes = lanesOf(broken, ours);
    this.#drawings = [];
    return node('div', 'sides', this.#side('broken', title, broken, lanes), this.#side('ours', 'lock-starter', ours, lanes));
  }

  /** Redraws visible drawings whose width has changed. */
  fit() {
    for (const drawing of this.#drawings) {
      const width = Math.floor(drawing.place.clientWidth);
      if (width > 0 && width !== drawing.width) {
        drawing.width = width;
        const least = Math.max(width, leastWidth(drawing.steps));
        drawing.place.tabIndex = least > width ? 0 : -1;
        drawing.place.replaceChildren(drawSteps(drawing.steps, drawing.lanes, least, drawing.label));
      }
    }
  }

  #side(kind, title, side, lanes) {
    const section = node('section', `side ${kind}`);
    section.dataset.kind = isHarmed(side) ? 'wrong' : 'exact';
    section.append(node('h4', '', title, ' ', node('b', 'verdict', verdictOf(side))), node('p', 'summary', side.summary), figuresOf(side));
    const names = node('div', 'lane-names', ...lanes.map(lane => node('b', '', lane)));
    names.style.paddingTop = `${HEAD}px`;
    names.style.setProperty('--lane', `${LANE}px`);
    const place = node('div', 'drawing');
    place.setAttribute('role', 'group');
    place.setAttribute('aria-label', `Timeline of ${title}`);
    this.#drawings.push({ place, steps: side.steps, lanes, width: 0, label: `${title}: ${side.summary} The steps are in the list below.` });
    const steps = node('details', 'steps', node('summary', '', `The ${side.steps.length} steps of the round`), stepsOf(side.steps, section));
    steps.open = !matchMedia('(max-width: 40rem)').matches;
    section.append(node('div', 'drawn', names, place), steps);
    return section;
  }
}

export const isHarmed = side => side.lost > 0 || side.blocked;

/** A short text with a symbol, so that it does not depend on colour alone. */
export function verdictOf({ lost, blocked, refusedWrites }) {
  const parts = [lost > 0 ? `${lost} lost` : '', blocked ? 'blocked' : ''].filter(Boolean);
  if (parts.length > 0) {
    return `✘ ${parts.join(', ')}`;
  }
  return refusedWrites > 0 ? `✔ 0 lost, ${refusedWrites} late ${refusedWrites === 1 ? 'write' : 'writes'} rejected` : '✔ 0 lost';
}

function figuresOf({ updates, counter, lost, ownersAtOnce, refusedWrites, blocked }) {
  const figures = [
    ['Updates', updates, ''], ['Counter', counter, ''], ['Lost', lost, lost > 0 ? 'wrong' : 'exact'],
    ['Owners at once', ownersAtOnce || '–', ''], ['Writes rejected', refusedWrites, ''],
    ['Blocked', blocked ? 'yes' : 'no', blocked ? 'wrong' : ''],
  ];
  const list = node('dl', 'figures small');
  for (const [name, value, kind] of figures) {
    const figure = node('div', '', node('dt', '', name), node('dd', '', String(value ?? '–')));
    figure.dataset.kind = kind;
    figure.dataset.figure = name;
    list.append(figure);
  }
  return list;
}

/** The list of steps; highlights the step under the mouse in the drawing. */
function stepsOf(steps, section) {
  const list = node('ol');
  steps.forEach((step, index) => {
    const sign = node('i', `sign ${step.kind}`, SIGNS[step.kind] ?? '·');
    sign.setAttribute('aria-hidden', 'true');
    const item = node('li', '', node('div', 'line', node('time', '', timeOf(step.at)), sign, node('span', '', node('b', '', step.caller), ` ${step.text}`)));
    const emphasise = on => section.querySelector(`[data-step="${index}"]`)?.classList.toggle('emphasised', on);
    item.addEventListener('pointerenter', () => emphasise(true));
    item.addEventListener('pointerleave', () => emphasise(false));
    list.append(item);
  });
  return list;
}
