import { expect, test } from 'vitest';
import { HostBudgets } from '../../src/wallets/budget.ts';

function budgetsAt() {
  const time = { millis: 0 };
  return { time, budgets: new HostBudgets(() => time.millis) };
}

test('a quiet host gets a burst, then five a second', () => {
  const { time, budgets } = budgetsAt();
  for (let index = 0; index < 10; index++) expect(budgets.take('a.example')).toBe(0);
  const wait = budgets.take('a.example');
  expect(wait).toBeGreaterThan(190);
  expect(wait).toBeLessThanOrEqual(200);
  time.millis += wait;
  expect(budgets.take('a.example')).toBe(0);
});

test('hosts do not share', () => {
  const { budgets } = budgetsAt();
  while (budgets.take('a.example') === 0);
  expect(budgets.take('b.example')).toBe(0);
});

test('a complaint closes the host for as long as it says, then halves its rate', () => {
  const { time, budgets } = budgetsAt();
  budgets.complained('a.example', 120);
  expect(budgets.take('a.example')).toBe(120_000);
  time.millis += 119_000;
  expect(budgets.take('a.example')).toBe(1000);
  time.millis += 1000;
  let taken = 0;
  while (budgets.take('a.example') === 0) taken++;
  expect(taken).toBe(5);
  expect(budgets.take('a.example')).toBeGreaterThan(390);
});

test('a host that complains twice stays closed for the longer of both', () => {
  const { time, budgets } = budgetsAt();
  budgets.complained('a.example', 120);
  time.millis += 1000;
  budgets.complained('a.example', 1);
  expect(budgets.take('a.example')).toBe(119_000);
  budgets.complained('a.example', 300);
  expect(budgets.take('a.example')).toBe(300_000);
});

test('the rate grows back while nobody complains, and has a top', () => {
  const { time, budgets } = budgetsAt();
  budgets.complained('a.example', 1);
  for (let minute = 0; minute < 120; minute++) {
    time.millis += 60_000;
    while (budgets.take('a.example') === 0);
  }
  expect(budgets.take('a.example')).toBeLessThanOrEqual(20);
  expect(budgets.take('a.example')).toBeGreaterThanOrEqual(19);
});

test('of ever new hosts the one asked longest ago is forgotten, and the others are not', () => {
  const { budgets } = budgetsAt();
  budgets.complained('a.example', 120);
  budgets.complained('b.example', 120);
  for (let index = 0; index < 9_999; index++) {
    budgets.take(`${index}.example`);
    expect(budgets.take('b.example')).toBe(120_000);
  }
  expect(budgets.take('a.example')).toBe(0);
});
