/** A stage in this process with a tenant, and a wallet: the setup of tests of the messages between them. */
import { Wallet } from '../../wallet/wallet.ts'
import type { WalletOptions } from '../../wallet/wallet-parts.ts'
import { createTenant } from '../scenes.ts'
import { type InProcessStage, type StageOptions, startInProcessStage } from './in-process-stage.ts'

export interface TenantAndWallet {
  stage: InProcessStage
  caller: { tenantId: string }
  wallet: Wallet
  stop(): Promise<void>
}

/** Its wallet answers no proof request automatically, unless `options` say so. */
export const startTenantAndWallet = async (
  options: WalletOptions = {},
  at: StageOptions = {},
): Promise<TenantAndWallet> => {
  const stage = await startInProcessStage(at)
  stage.line.run()
  const caller = await createTenant(stage)
  const wallet = await Wallet.start({ answerProofs: false, ...options })
  return {
    stage,
    caller,
    wallet,
    stop: async () => {
      await wallet.stop()
      await stage.stop()
    },
  }
}
