import * as api from './api.js';
import { node } from './nodes.js';

const element = id => document.getElementById(id);
const WAYS = { locked: 'With the lock', unlocked: 'Without the lock' };

/** The flash sale: the same crowd with and without the lock. */
export function openSale() {
  for (const way of Object.keys(WAYS)) {
    element(`sell-${way}`).addEventListener('click', () => sell(way));
  }
}

async function sell(way) {
  const fields = [element('stock'), element('buyers')];
  if (isBusy() || !fields.every(field => field.reportValidity())) {
    return;
  }
  const [stock, buyers] = fields.map(field => field.valueAsNumber);
  const product = `flash-${Date.now().toString(36)}-${way}`;
  tell(`${buyers} buyers order at once, each twice …`);
  setBusy(true);
  try {
    await api.offer(product, stock);
    show(way, await api.sellToCrowd(product, buyers, way));
  } catch (problem) {
    tell(problem.message);
  } finally {
    setBusy(false);
  }
}

const isBusy = () => element('sell-locked').getAttribute('aria-disabled') === 'true';

function setBusy(busy) {
  Object.keys(WAYS).forEach(way => element(`sell-${way}`).setAttribute('aria-disabled', String(busy)));
}

function tell(sentence) {
  element('sale-status').textContent = sentence;
}

function show(way, sale) {
  tell(`${WAYS[way]}: ${sale.sold} of ${sale.stock} sold. ${consequence(sale)}`);
  const outcome = element(`sold-${way}`);
  const wrong = sale.oversold > 0 || sale.boughtTwice > 0;
  outcome.dataset.kind = wrong ? 'wrong' : 'exact';
  outcome.replaceChildren(node('h3', '', WAYS[way], ' ', node('b', 'verdict', wrong ? '✘ oversold' : '✔ exact')), barOf(sale), figuresOf(sale));
}

function consequence({ oversold, boughtTwice, left, contended }) {
  const waited = contended > 0 ? ` ${contended} requests waited for the lock without success.` : '';
  if (oversold === 0 && boughtTwice === 0) {
    return `Nothing was sold twice.${waited}`;
  }
  return `${oversold} more than the stock, ${boughtTwice} buyers got two, and Redis says that ${left} are left.${waited}`;
}

/** Sold items compared with the stock, which a line marks. */
function barOf({ stock, sold, oversold }) {
  const whole = Math.max(stock, sold, 1);
  const part = (kind, count) => {
    const bar = node('i', kind);
    bar.style.width = `${(count / whole) * 100}%`;
    return bar;
  };
  const bar = node('div', 'sold-bar', part('held', Math.min(sold, stock)), part('race', oversold));
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', `${sold} sold of a stock of ${stock}`);
  return bar;
}

function figuresOf(sale) {
  const figures = [
    ['Stock', sale.stock, ''], ['Requests', sale.requests, ''], ['Sold', sale.sold, ''], ['Left in Redis', sale.left, ''],
    ['Oversold', sale.oversold, sale.oversold > 0 ? 'wrong' : 'exact'],
    ['Bought twice', sale.boughtTwice, sale.boughtTwice > 0 ? 'wrong' : 'exact'],
  ];
  const list = node('dl', 'figures small');
  for (const [name, value, kind] of figures) {
    const figure = node('div', '', node('dt', '', name), node('dd', '', String(value)));
    figure.dataset.figure = name;
    figure.dataset.kind = kind;
    list.append(figure);
  }
  return list;
}
