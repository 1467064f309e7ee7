import type { DemoCredentials } from './demo.ts';

/** What a person sees after a start: the address, the docs, the way in and two commands that lead to a paid order. */
export function banner(baseUrl: string, engine: 'embedded' | 'postgres', demo: DemoCredentials | undefined): string {
  const storage =
    engine === 'postgres' ? 'PostgreSQL' : 'embedded (for trials and one till; live money belongs on PostgreSQL)';
  const lines = [
    `Satline is ready at ${baseUrl}`,
    `  docs      ${baseUrl}/docs`,
    `  sign in   ${baseUrl}/sign-in`,
    `  database  ${storage}`,
  ];
  if (demo) lines.push('', ...firstPayment(baseUrl, demo));
  else lines.push('', 'Next: satline merchant create, satline key create, satline wallet add');
  return `\n${lines.join('\n')}\n\n`;
}

function firstPayment(baseUrl: string, { secret_key }: DemoCredentials): string[] {
  const order = `{"order":{"total_amount_cents":500,"currency":"usd","items":[{"name":"Coffee","price_cents":500,"qty":1}]},"generate_invoice":true}`;
  return [
    'A demo merchant with a simulated test wallet; its keys, and what its owner signs in with, are in demo-credentials.json.',
    'Create an order with an invoice:',
    '',
    `  curl -s ${baseUrl}/api/v1/m/orders -H "Authorization: Bearer ${secret_key}" \\`,
    `    -H 'Content-Type: application/json' -d '${order}'`,
    '',
    'and pay it, with the "id" of its "invoice":',
    '',
    `  curl -s -X POST ${baseUrl}/api/v1/m/invoices/INVOICE_ID/simulate_payment -H "Authorization: Bearer ${secret_key}"`,
  ];
}
