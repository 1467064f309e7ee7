import { type Static, type TObject, Type } from 'typebox';
import { parseCurrency } from '../../kernel/currency.ts';
import { invalid } from '../../kernel/errors.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import type { DiscountKind, DiscountRow } from '../../model/discount.ts';
import { currencyInput, nameInput, optional, textInput } from '../../model/fields.ts';
import { readPercent } from '../../model/percent.ts';
import type { Call } from '../../operation/operation.ts';
import { isDiscountCodeTaken } from '../../store/discounts.ts';
import { findMerchant } from '../../store/merchants.ts';

export const discountNameInput = nameInput('As it stands on receipts');

/** The members that create and update share. */
export const discountMembers = {
  code: optional(
    Type.String({
      'x-trim': true,
      minLength: 1,
      maxLength: 50,
      description: 'What a customer types in; unique, upper and lower case alike',
    }),
  ),
  percent: optional(textInput(10, 'For kind percent: a decimal string such as "12.5"')),
  amount_cents: optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'For kind fixed: in minor units of the currency',
    }),
  ),
  currency: optional(currencyInput),
  enabled: optional(Type.Boolean()),
  starts_at: optional(textInput(40, 'ISO 8601 time or date from which it counts')),
  ends_at: optional(textInput(40, 'ISO 8601 time or date at which it stops counting')),
};

type DiscountBody = Static<TObject<typeof discountMembers>> & { name?: string; kind?: DiscountKind | null };

/** Lays what was sent over a discount. @throws {AppError} 422 naming each member that is wrong. */
export async function withDiscountBody(call: Call, before: DiscountRow, body: DiscountBody): Promise<DiscountRow> {
  const faults: string[] = [];
  const discount: DiscountRow = {
    ...before,
    name: body.name ?? before.name,
    code: body.code === undefined ? before.code : body.code,
    ...(await readValue(call, before, body, faults)),
    enabled: body.enabled ?? before.enabled,
    starts_at: readMoment('starts_at', body.starts_at, before.starts_at, faults),
    ends_at: readMoment('ends_at', body.ends_at, before.ends_at, faults),
    updated_at: call.now,
  };
  const { starts_at, ends_at, code } = discount;
  if (starts_at && ends_at && starts_at >= ends_at) faults.push('ends_at must be later than starts_at');
  if (code && (await isDiscountCodeTaken(call.db, call.scope, code, discount.id))) {
    faults.push('code is taken by another discount');
  }
  if (faults.length > 0) throw invalid(...faults);
  return discount;
}

type Value = Pick<DiscountRow, 'kind' | 'percent' | 'amount_cents' | 'currency'>;

/** How much is taken off: what belongs to the other kind is refused when it is sent, and dropped when the kind changes. */
async function readValue(call: Call, before: DiscountRow, body: DiscountBody, faults: string[]): Promise<Value> {
  const kind = body.kind ?? before.kind;
  if (kind === 'percent') {
    for (const member of ['amount_cents', 'currency'] as const) {
      if (body[member] != null) faults.push(`${member} is for kind fixed only`);
    }
    return { kind, percent: readOff(body.percent, before.percent, faults), amount_cents: null, currency: null };
  }
  if (body.percent != null) faults.push('percent is for kind percent only');
  const amount = body.amount_cents === undefined ? before.amount_cents : body.amount_cents;
  if (amount === null) faults.push('amount_cents is required for kind fixed');
  const currency =
    parseCurrency(body.currency) ?? before.currency ?? (await findMerchant(call.db, call.scope.merchantId))!.currency;
  return { kind, percent: null, amount_cents: amount, currency };
}

function readOff(sent: string | null | undefined, before: string | null, faults: string[]): string | null {
  if (sent === undefined && before !== null) return before;
  if (sent === undefined || sent === null) {
    faults.push('percent is required for kind percent');
    return null;
  }
  const percent = readPercent(sent);
  if (percent !== undefined && Number(percent) > 0) return percent;
  faults.push('percent must be a decimal above 0, up to 100, with at most 4 decimals, such as "12.5"');
  return null;
}

const earliest = Date.UTC(1970, 0, 1);
const latest = Date.UTC(10_000, 0, 1);

function readMoment(
  member: string,
  sent: string | null | undefined,
  before: Date | null,
  faults: string[],
): Date | null {
  if (sent === undefined) return before;
  if (sent === null) return null;
  const moment = parseTimestamp(sent);
  if (moment && moment.getTime() >= earliest && moment.getTime() < latest) return moment;
  faults.push(`${member} must be an ISO 8601 time with Z or an offset, or a date, from 1970 on`);
  return null;
}
