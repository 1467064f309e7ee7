#!/usr/bin/env node
// What a person does whose program opens the browser to be let in: signs in, chooses test data, allows it. Programs find it as
// BROWSER; CONSENT_EMAIL and CONSENT_PASSWORD say who signs in. For mcp-conformance.js.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [address = ''] = process.argv.slice(2);
const { CONSENT_EMAIL = '', CONSENT_PASSWORD = '', CHROMIUM = '' } = process.env;
const candidates = [CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const browser = await chromium.launch({
  executablePath: candidates.find((path) => existsSync(path)) ?? '',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
try {
  const page = await browser.newPage();
  await page.goto(address);
  await page.getByLabel('E-mail address').fill(CONSENT_EMAIL);
  await page.getByLabel('Password').fill(CONSENT_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Test data').check();
  await page.getByRole('button', { name: 'Allow' }).click();
  // The program's own page, wherever on this machine it listens.
  await page.waitForURL((url) => url.searchParams.has('code'));
} finally {
  await browser.close();
}
