/**
 * Example calls, by operationId: the suites that check the same rules for every operation iterate over the contracts, and
 * take from here how to make a request that succeeds. Calls that follow from a contract need no entry (by-contract.ts).
 */
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { anoncreds } from './anoncreds.ts'
import { basicMessages } from './basic-messages.ts'
import { exampleByContract } from './by-contract.ts'
import type { CallExample, CallScene, Examples, MakeExample } from './call-scene.ts'
import { connections } from './connections.ts'
import { credentials } from './credentials.ts'
import { didcomm } from './didcomm.ts'
import { dids } from './dids.ts'
import { openid4vci } from './openid4vci.ts'
import { openid4vciStatus } from './openid4vci-status.ts'
import { openid4vciWallets } from './openid4vci-wallets.ts'
import { openid4vp } from './openid4vp.ts'
import { outOfBand } from './out-of-band.ts'
import { pages } from './pages.ts'
import { proofs } from './proofs.ts'
import { questionAnswer } from './question-answer.ts'
import { service } from './service.ts'
import { tenants } from './tenants.ts'
import { webhooks } from './webhooks.ts'
import { webvh } from './webvh.ts'
import { x509 } from './x509.ts'

export const EXAMPLES: Examples = {
  ...anoncreds,
  ...basicMessages,
  ...connections,
  ...credentials,
  ...didcomm,
  ...openid4vci,
  ...openid4vciStatus,
  ...openid4vciWallets,
  ...openid4vp,
  ...outOfBand,
  ...dids,
  ...pages,
  ...proofs,
  ...questionAnswer,
  ...service,
  ...tenants,
  ...webhooks,
  ...webvh,
  ...x509,
}

/** The example of an operation, from the table or from its contract. */
export const makerOf = (operationId: string): MakeExample | undefined => {
  const contract = OPERATIONS.find((one) => one.operationId === operationId)
  return EXAMPLES[operationId] ?? (contract && exampleByContract(contract))
}

/** A new example of an operation. */
export const exampleOf = async (operationId: string, scene: CallScene): Promise<CallExample & { caller: object }> => {
  const make = makerOf(operationId)
  if (make === undefined)
    throw new Error(
      `${operationId} has no example call: add to the file of its subject in test/support/calls how to make a request that succeeds ` +
        '(`asked`), with the records that it needs in the right state, another valid one (`other`), and who may make it (`caller`)',
    )
  return { caller: { tenantId: scene.tenantId }, ...(await make(scene)) }
}
