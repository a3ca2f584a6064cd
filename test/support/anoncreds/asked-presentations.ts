/** AnonCreds proofs that a tenant asks a wallet for, and presentations that are made by hand. */
import { randomUUID } from 'node:crypto'
import type { RawAnswer } from '../../wallet/raw-messages.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import type { Caller, InProcessStage, Json } from '../stage/in-process-stage.ts'
import { askWallet, type Thread } from '../wallets/asked-proof.ts'
import type { PublishedObjects } from './bare-library.ts'
import type { Asked } from './holder.ts'
import { publishAs, publishList, useMemoryRegistry } from './memory-registry.ts'

/** Lets the agents of this process find objects. */
export const publish = async ({ schemas, definitions, registries, lists }: PublishedObjects): Promise<void> => {
  await useMemoryRegistry()
  for (const [id, object] of Object.entries({ ...schemas, ...definitions, ...registries })) publishAs(id, object)
  for (const list of lists) publishList(list as Parameters<typeof publishList>[0])
}

/** How a proof is requested and answered: version 1 and the formats of version 2, the last as ACA-Py answers. */
export const WAYS = {
  'v1 indy': { protocolVersion: 'v1', asked: 'indy', answered: '' },
  'v2 indy': { protocolVersion: 'v2', asked: 'indy', answered: 'hlindy/proof@v2.0' },
  'v2 anoncreds': { protocolVersion: 'v2', asked: 'anoncreds', answered: 'anoncreds/proof@v1.0' },
  'v2 indy, answered as anoncreds': { protocolVersion: 'v2', asked: 'indy', answered: 'anoncreds/proof@v1.0' },
} as const

export type Way = keyof typeof WAYS

const base64 = (json: unknown) => ({ base64: Buffer.from(JSON.stringify(json) ?? '').toString('base64') })

const messageOf = (way: Way, thread: Thread, presentation: unknown): Json => {
  const { protocolVersion, answered } = WAYS[way]
  const isFirst = protocolVersion === 'v1'
  const attachment = isFirst ? 'libindy-presentation-0' : 'a'
  return {
    '@type': `https://didcomm.org/present-proof/${isFirst ? '1.0' : '2.0'}/presentation`,
    '@id': randomUUID(),
    '~thread': thread,
    '~transport': { return_route: 'all' },
    ...(!isFirst && { formats: [{ attach_id: attachment, format: answered }] }),
    'presentations~attach': [{ '@id': attachment, 'mime-type': 'application/json', data: base64(presentation) }],
  }
}

export interface AskedForAnonCreds {
  /** As the wallet received it. */
  request: Json
  /** Sends a presentation. Resolves to the proof as the tenant reads it then. */
  answer(presentation: unknown): Promise<Json>
  /** The reply to the wallet. */
  answers: RawAnswer[]
}

/** Asks a wallet for a proof, over a connection of its own. */
export const askForAnonCreds = async (
  stage: InProcessStage,
  caller: Caller & { tenantId: string },
  wallet: Wallet,
  asked: Asked,
  way: Way = 'v2 anoncreds',
  /** Further fields of CreateRequest. */
  fields: Json = {},
): Promise<AskedForAnonCreds> => {
  const { protocolVersion, asked: format } = WAYS[way]
  const proofFormats = { [format]: { name: 'p', version: '1.0', ...asked } }
  const body = { protocolVersion, autoAcceptProof: 'always', proofFormats, ...fields }
  const { request, thread, send, answers } = await askWallet(stage, caller, wallet, body)
  return {
    request: request[format],
    answers,
    answer: (presentation) => send(messageOf(way, thread, presentation)),
  }
}
