import type { Command } from 'commander';
import { connectWallet, UnseenSettlement } from '../flows/connect-wallet.ts';
import { AppError } from '../kernel/errors.ts';
import { WalletFault } from '../lightning/connector.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure, sentenceOf } from './failure.ts';
import { readId, readName, readSats } from './option-values.ts';
import { walletFacts, walletJson } from './wallet-text.ts';

interface Options {
  merchant?: string;
  live?: true;
  name?: string;
  maxPaymentSats?: number;
  saveAnyway?: true;
}

export function addAddWallet(group: Command): void {
  addCommand(
    group,
    'add',
    'Connect the wallet behind a lightning address, after asking it for an invoice',
    'wallet add --live shop@wallet.example',
    'wallet add --merchant ID --live shop@wallet.example --name "Till" --max-payment-sats 500000',
  )
    .argument('<address>', 'lightning address, name@host')
    .option('--merchant <id>', 'whose wallet; may be left out when there is one merchant', readId)
    .option('--live', 'for real payments; without it the wallet is one of a test network')
    .option('--name <name>', 'what to call it; the address without it', readName)
    .option('--max-payment-sats <n>', 'largest payment to send to it', readSats)
    .option('--save-anyway', 'save it even if nobody can tell when it was paid; it takes no payments then')
    .action(
      withParts<Options>(async ({ parts, progress, signal }, options, address) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const scope = { merchantId: merchant.id, livemode: options.live === true };
        progress.show(`Asking ${address} for an invoice`);
        const request = {
          name: options.name,
          lightningAddress: address,
          maxPaymentSats: options.maxPaymentSats,
          saveUnseen: options.saveAnyway,
        };
        const { wallet, probe } = await connectWallet(parts, scope, request, signal).catch((error: unknown) => {
          throw withAdvice(error, scope.livemode);
        });
        const warning = probe.canSpend
          ? '\n\nWhat was saved could spend from this wallet; a receive-only one is safer.'
          : '';
        const text = `${wallet.name} is connected, for ${merchant.name}:\n\n${walletFacts(wallet)}${warning}`;
        return { json: walletJson(wallet), text };
      }),
    );
}

/** The flow's sentence, and what can be done about it at this terminal. */
function withAdvice(error: unknown, livemode: boolean): unknown {
  const sentence = sentenceOf(error)?.replace(/\.$/, '');
  if (sentence === undefined) return error;
  const say = (advice: string) => new CliFailure(`${sentence}. ${advice}`, { cause: error });
  if (error instanceof UnseenSettlement) {
    return say('Use a wallet that supports LUD-21, or save it for later with --save-anyway.');
  }
  if (!(error instanceof AppError)) return error;
  if (error.code === 'wallet_unavailable') return say('Check the address, or try again later.');
  if (error.code === 'conflict') return say('"satline wallet list" shows it, "satline wallet enable" turns it on.');
  const fault = error.cause instanceof WalletFault ? error.cause.kind : undefined;
  if (fault === 'bad_invoice' && !livemode) return say('A wallet for real payments is added with --live.');
  return fault === undefined ? error : say('Check the address, or use another wallet.');
}
