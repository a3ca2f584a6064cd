/** Setup at the top of a test file: a stage in this process, tenants and wallets. All of it is stopped after the file's last test. */
import { Wallet } from '../../wallet/wallet.ts'
import type { WalletOptions } from '../../wallet/wallet-parts.ts'
import { stopAtEnd } from '../stop-at-end.ts'
import { type InProcessStage, type StageOptions, startInProcessStage } from './in-process-stage.ts'
import { startTenantAndWallet, type TenantAndWallet } from './tenant-and-wallet.ts'

interface UseStage extends StageOptions {
  delivers?: boolean
}

/** A stage that delivers messages; with `delivers: false` not before the test calls `stage.line.run()`. */
export const useStage = async ({ delivers = true, ...at }: UseStage = {}): Promise<InProcessStage> => {
  const stage = await stopAtEnd(startInProcessStage(at))
  if (delivers) stage.line.run()
  return stage
}

export const useWallet = (options?: WalletOptions): Promise<Wallet> => stopAtEnd(Wallet.start(options))

/** See `startTenantAndWallet`. */
export const useTenantAndWallet = (options?: WalletOptions): Promise<TenantAndWallet> =>
  stopAtEnd(startTenantAndWallet(options))
