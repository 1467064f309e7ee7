import { type Command, Option } from 'commander';
import { changeWallet } from '../flows/change-wallet.ts';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import type { SimulationWishes } from '../model/simulation.ts';
import { addCommand, refuseUsage, withParts } from './command.ts';
import { requireWalletForOperator } from './find-wallet.ts';
import { readId, readName, readPosition, readSats, readSimulation } from './option-values.ts';
import { walletFacts, walletJson } from './wallet-text.ts';

interface Options {
  name?: string;
  position?: number;
  /** false: no ceiling of the merchant's own. */
  maxPaymentSats?: number | false;
  takesPreimages?: 'yes' | 'no';
  simulate?: SimulationWishes;
}

export function addChangeWallet(group: Command): void {
  const command = addCommand(
    group,
    'change',
    'Change the name, the place in line or the limit of a wallet; what is left out stays',
    'wallet change ID --name "Till" --position 1',
    'wallet change ID --takes-preimages yes',
    'wallet change ID --simulate delay=2000,hold',
  )
    .argument('<id>', 'of the wallet, as "satline wallet list" shows it', readId)
    .option('--name <name>', 'what to call it', readName)
    .option('--position <n>', 'its place in line; the lowest is asked first', readPosition)
    .option('--max-payment-sats <n>', 'largest payment to send to it', readSats)
    .option('--no-max-payment-sats', 'the limit of the wallet alone')
    .addOption(
      new Option(
        '--takes-preimages <yes|no>',
        'whether payers show the preimage where the wallet cannot tell that it was paid',
      ).choices(['yes', 'no']),
    )
    .option(
      '--simulate <list>',
      'what the simulated wallet does: fail, delay=MILLISECONDS, hold, pay-after=SECONDS; "nothing" ends it all',
      readSimulation,
    )
    .action(
      withParts<Options>(async ({ parts }, options, id) => {
        const wishes = wishesIn(options);
        const { merchant_id, livemode } = await requireWalletForOperator(parts.db, id);
        const scope = { merchantId: merchant_id, livemode };
        const now = parts.clock.now();
        const wallet = await parts.db.transaction(async (tx) => {
          const changed = await changeWallet(tx, scope, id, wishes, now);
          await recordOperatorAudit(tx, { ...scope, action: 'update_wallet', subjectId: id, now });
          return changed;
        });
        return { json: walletJson(wallet), text: `${wallet.name} is changed:\n\n${walletFacts(wallet)}` };
      }),
    );
  refuseUsage<Options>(command, (options) =>
    Object.values(wishesIn(options)).every((wish) => wish === undefined) ? 'Nothing to change was named.' : undefined,
  );
}

function wishesIn({ name, position, maxPaymentSats, takesPreimages, simulate }: Options) {
  // Commander presets an option that has a "no" form to true.
  const limit = typeof maxPaymentSats === 'number' ? maxPaymentSats : maxPaymentSats === false ? null : undefined;
  return {
    name,
    position,
    max_payment_sats: limit,
    takes_preimages: takesPreimages === undefined ? undefined : takesPreimages === 'yes',
    simulation: simulate,
  };
}
