import type { OpenLink } from '../../model/user-link.ts';
import { MerchantMark, SubmitButton } from '../pages/parts.tsx';
import type { Setting } from '../people/pages/people-page.tsx';
import { type ChoiceFault, ChoosePassword, faultText, renderLinkPage, renderOutcomePage, signInLink } from './page.tsx';
import { wordsOf } from './words.ts';

/** What is offered, and a password to choose where the account has none yet. */
export function renderInvitationPage(setting: Setting, link: OpenLink, fault?: ChoiceFault): string {
  const words = wordsOf(setting.language);
  const merchant = link.merchant_name!;
  const title = words.invited(merchant);
  return renderLinkPage(
    setting,
    title,
    <>
      <MerchantMark name={merchant} logoUrl={link.logo_url} />
      <form method="post" class="card stack">
        <h1>{title}</h1>
        <p>{words.invitedText(merchant, words.roles[link.role!])}</p>
        <p class="muted">{link.has_password ? words.keepPassword : words.choosePassword}</p>
        {link.has_password ? (
          <p>
            <bdi dir="ltr">{link.email}</bdi>
          </p>
        ) : (
          <ChoosePassword email={link.email} fault={fault} words={words} />
        )}
        <SubmitButton accent>{words.accept}</SubmitButton>
      </form>
    </>,
    fault && faultText(fault, words),
  );
}

export function renderAcceptedPage(setting: Setting, { merchant_name: merchant }: OpenLink): string {
  const words = wordsOf(setting.language);
  const next = signInLink(setting);
  return renderOutcomePage(setting, { tone: 'ok', title: words.accepted, text: words.acceptedText(merchant!), next });
}
