/**
 * ISO 4217, list one, after its amendments up to November 2026 (XCG, ZWG and XAD in; ANG, BGN, CUC, HRK, SLL and ZWL
 * out): every code that states a minor unit. Precious metals, drawing rights, bond units and the codes for tests and
 * for "no currency" state none, so nothing can be priced in them.
 *
 * The list stands here because `Intl` follows CLDR instead: it prints the Iraqi dinar without its three decimals and
 * knows currencies that are long gone.
 */
const codesByExponent: ReadonlyArray<readonly [exponent: number, codes: string]> = [
  [0, 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'],
  [
    2,
    `aed afn all amd aoa ars aud awg azn bam bbd bdt bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf che chf chw cny cop
    cou crc cup cve czk dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gtq gyd hkd hnl htg huf idr ils inr irr
    jmd kes kgs khr kpw kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad ngn
    nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl
    thb tjs tmt top try ttd twd tzs uah usd usn uyu uzs ved ves wst xad xcd xcg yer zar zmw zwg`,
  ],
  [3, 'bhd iqd jod kwd lyd omr tnd'],
  [4, 'clf uyw'],
];

const exponents: ReadonlyMap<string, number> = new Map(
  codesByExponent.flatMap(([exponent, codes]) => codes.split(/\s+/).map((code) => [code, exponent] as const)),
);

/** Every currency that can be priced in, lower case, in alphabetical order. */
export const currencies: readonly string[] = [...exponents.keys()].sort();

/** Whether `code` is a currency in the form kept everywhere inside: lower case. Use `parseCurrency` on what came in. */
export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

/** Reads a code in any case; the lower-case code, or undefined if it is no active currency or none is given. */
export function parseCurrency(text: string | null | undefined): string | undefined {
  // ASCII letters first: lower-casing also turns the Kelvin sign into a k.
  if (!text || !/^[A-Za-z]{3}$/.test(text)) return undefined;
  const code = text.toLowerCase();
  return exponents.has(code) ? code : undefined;
}

/** How many decimals the currency's minor unit has: 0, 2, 3 or 4. Takes the lower-case code of a known currency. */
export function currencyExponent(code: string): number {
  const exponent = exponents.get(code);
  if (exponent === undefined) throw new RangeError(`${code} is not a lower-case ISO 4217 currency code`);
  return exponent;
}
