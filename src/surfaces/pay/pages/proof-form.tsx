import type { JSX } from 'preact';
import type { CheckoutView } from '../../../model/checkout-view.ts';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { SubmitButton } from '../../pages/parts.tsx';

/** Why a proof was not taken; a sentence of the dictionary each. */
export type PreimageFault = 'wrong' | 'tooMany';

interface ProofProps {
  view: CheckoutView;
  language: Language;
  fault?: PreimageFault | undefined;
}

/** For wallets that do not tell: the payer shows the preimage that their own wallet got for paying. */
export function ProofForm({ view, language, fault }: ProofProps): JSX.Element | null {
  if (!view.asksForPreimage) return null;
  const { checkout, receipt } = dictionaryOf(language);
  const words = checkout.proof;
  return (
    <form method="post" action={`/checkout/${view.token}/preimage?locale=${language}`} id="proof" class="proof stack">
      <div>
        <h2>{words.title}</h2>
        <p class="small">{words.text(view.merchant.name)}</p>
      </div>
      <div class="labelled">
        <label for="preimage">{receipt.preimage}</label>
        <input
          class="field code"
          id="preimage"
          name="preimage"
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
          aria-describedby="preimage-fault"
          aria-invalid={fault ? 'true' : undefined}
        />
        <p class="fault" id="preimage-fault" role="alert" hidden={!fault}>
          {fault && words[fault]}
        </p>
      </div>
      <SubmitButton>{words.send}</SubmitButton>
    </form>
  );
}
