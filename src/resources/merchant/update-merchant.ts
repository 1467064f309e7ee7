import { Type } from 'typebox';
import { changeMerchant } from '../../flows/change-merchant.ts';
import { showMerchant } from '../../flows/show-merchant.ts';
import { AppError } from '../../kernel/errors.ts';
import { currencyInput, emailInput, inputObject, nameInput, oneOf, optional, textInput } from '../../model/fields.ts';
import { merchantSchema } from '../../model/merchant.ts';
import { json, operation } from '../../operation/operation.ts';

const body = inputObject({
  merchant: inputObject({
    name: Type.Optional(nameInput('Shown to payers')),
    email: optional(emailInput),
    phone: optional(textInput(50, 'Telephone number')),
    business_license: optional(textInput(200, 'Licence or registration number')),
    time_zone: Type.Optional(textInput(64, 'IANA time zone')),
    currency: Type.Optional(currencyInput),
    logo_url: optional(textInput(2048, 'http(s) address of an image; pages show it over https only')),
    tip_options: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), { maxItems: 10, description: 'Percentages' }),
    ),
    pos_theme: Type.Optional(oneOf(['light', 'dark', 'auto'])),
    pos_enabled: Type.Optional(Type.Boolean()),
    privapaid_enabled: Type.Optional(Type.Boolean()),
    checkout_theme: Type.Optional(oneOf(['light', 'dark', 'auto'])),
    checkout_accent_color: Type.Optional(textInput(7, 'Colour as #rrggbb')),
    allowed_origins: Type.Optional(
      Type.Array(textInput(2048, 'Origin such as https://shop.example.com'), { maxItems: 50 }),
    ),
    conversion_fee_percent: Type.Optional(textInput(10, 'Added to bitcoin prices, in percent, a decimal string')),
  }),
});

export const updateMerchant = operation({
  name: 'update_merchant',
  summary: 'Change the merchant’s settings',
  description: 'Members that are left out stay as they are. Settings hold for both modes.',
  method: 'PATCH',
  path: '/api/v1/m/merchant',
  access: { permission: 'merchant:write' },
  body,
  answer: json(merchantSchema),
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { body }) {
    const { before, after } = await changeMerchant(call.db, call.scope.merchantId, body.merchant, call.now);
    // They say what its amounts mean, and when its day is over.
    if (call.caller.allowance && (after.currency !== before.currency || after.time_zone !== before.time_zone)) {
      throw new AppError('forbidden', 'A token with a largest amount cannot change currency or time zone');
    }
    return showMerchant(call.db, call.scope);
  },
});
