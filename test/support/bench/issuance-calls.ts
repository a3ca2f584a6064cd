/** An issuer's functions, and the next call of each, for `npm run bench -- openid`. */
import { randomInt } from 'node:crypto'
import { drawIndexes } from '../../../lib/status-list/indexes.ts'
import { ENTRIES } from '../../../lib/status-list/lists.ts'
import { setStatuses } from '../../../lib/status-list/pieces.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useIssuer } from '../openid/issuance.ts'
import { newKey } from '../openid/jwts.ts'
import type { BundledStage } from './bundled-stage.ts'
import { callsOf, lastOf, type MeasuredFlow } from './openid-calls.ts'

/** Entries of the measured list, in 64 pieces. */
const REVOKED = 10_000
const BATCH = 10
/** Of the same list, in batches of the largest size. */
const OTHERS = 20_000
const MAX_BATCH = 50
const DAY = 24 * 60 * 60_000

const REVOCABLE = { isRevocable: true, pin: true }

export const issuanceCalls = async (stage: BundledStage): Promise<MeasuredFlow> => {
  const issuer = await useIssuer(callsOf(stage))
  const { caller, issuerId } = issuer
  const tenant = String(caller.tenantId)
  const path = { issuerId }

  /** A wallet with a token, and its request, which is not sent. */
  const taken = async (copies = 1) => {
    const offer = await issuer.offer(REVOCABLE)
    const wallet = await issuer.take(offer)
    const request = await issuer.requestFor(wallet, Array.from({ length: copies }, newKey))
    const call = { path, headers: { Authorization: `Bearer ${wallet.accessToken}` }, body: request }
    return { offer, wallet, request, call }
  }
  const issued = async () => {
    const { offer, wallet, request, call } = await taken()
    const { body } = await issuer.postCredential(wallet.accessToken, request)
    const { issuedCredentials } = await issuer.now(offer.session)
    return { ...{ offer, call, body }, listId: String(issuedCredentials[0].status.listId) }
  }
  const pathOf = ({ session }: { session: { id: string } }) => ({ issuanceSessionId: session.id })
  const { listId } = await issued()
  const revoke = (count: number) => {
    const indexes = Array.from({ length: count }, () => randomInt(ENTRIES))
    return transaction(tenant, (unit) => setStatuses(unit, [{ listId, indexes }], 'revoked'))
  }
  await revoke(REVOKED)
  const until = new Date(Date.now() + DAY)
  /** Writes the marks of the indexes as issuing does, and nothing else. */
  const issueOthers = async () => {
    for (let marks = 0; marks < OTHERS; marks += MAX_BATCH)
      await transaction(tenant, (unit) => drawIndexes(unit, { issuerId, count: MAX_BATCH, until }))
  }
  let others: Promise<void> | undefined

  const calls = [
    {
      name: 'create-credential-offer',
      most: { cold: 30 },
      next: async () => lastOf(stage, 'create-credential-offer'),
    },
    {
      name: 'get-credential-offer',
      most: { cold: 30 },
      next: async () => ({ path: { ...path, ...pathOf(await issuer.offer(REVOCABLE)) } }),
    },
    {
      name: 'show-credential-offer',
      most: { cold: 30 },
      next: async () => ({
        path: { ...path, ...pathOf(await issuer.offer(REVOCABLE)) },
        headers: { Accept: 'text/html' },
      }),
    },
    {
      name: 'get-well-known',
      most: { cold: 30 },
      next: async () => ({ path: { ...path, name: 'openid-credential-issuer' } }),
    },
    {
      name: 'request-token',
      most: { warm: 2, cold: 30 },
      next: async () => ({
        ...{ path, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
        body: new URLSearchParams(issuer.formOf(await issuer.offer(REVOCABLE))).toString(),
      }),
    },
    { name: 'request-nonce', most: { cold: 30 }, next: async () => ({ path }) },
    { name: 'request-credential', most: { warm: 4, cold: 30 }, next: async () => (await taken()).call },
    {
      ...{ name: 'request-credential', what: `for ${BATCH} keys`, most: { warm: 15 } },
      next: async () => (await taken(BATCH)).call,
    },
    {
      name: 'receive-notification',
      most: { cold: 30 },
      next: async () => {
        const { call, body } = await issued()
        return { ...call, body: { notification_id: body.notification_id, event: 'credential_accepted' } }
      },
    },
    {
      name: 'revoke-issuance-session',
      most: { cold: 30 },
      next: async () => ({ caller, path: pathOf((await issued()).offer), body: {} }),
    },
    {
      name: 'get-status-list',
      most: { warm: 3, cold: 30 },
      next: async () => {
        await revoke(1)
        return { path: { ...path, listId } }
      },
    },
    {
      ...{ name: 'get-status-list', what: 'unchanged', most: { warm: 3 } },
      next: async () => ({ path: { ...path, listId } }),
    },
    {
      ...{ name: 'request-credential', what: `after ${OTHERS} others`, most: { warm: 4 } },
      next: async () => {
        others ??= issueOthers()
        await others
        return (await taken()).call
      },
    },
    {
      name: 'get-issuer-keys',
      most: { cold: 30 },
      next: async () => ({ path }),
    },
  ]
  return { calls, stop: () => {} }
}
