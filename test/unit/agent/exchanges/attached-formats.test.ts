/** Formats of requests and presentations: whether a request asks for what was proposed, and what is done with a presentation by its format. */
import type { AgentContext } from '@credo-ts/core'
import { DidCommAttachment, type DidCommProofExchangeRecord, type DidCommProofFormatService } from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import {
  isAsProposed,
  renameToRequested,
  storeRejected,
} from '../../../../lib/agent/exchanges/proofs/attached-formats.ts'

/** A format that finds its attachments equal, or not. */
const attachedIn = (isEqual: boolean) => ({
  format: { shouldAutoRespondToRequest: async () => isEqual } as unknown as DidCommProofFormatService,
  attachment: new DidCommAttachment({ data: {} }),
})

const [equal, other] = [attachedIn(true), attachedIn(false)]

test.each([
  ['each format is as proposed', [equal], [equal], true],
  ['a format that was proposed is absent', [equal], [equal, other], true],
  ['a format differs', [equal, other], [equal, other], false],
  ['a format was not proposed', [equal, attachedIn(true)], [equal], false],
])('where %s', async (_, requested, proposed, expected) => {
  const [agentContext, proofRecord] = [{} as AgentContext, {} as DidCommProofExchangeRecord]
  expect(await isAsProposed(agentContext, proofRecord, requested, proposed)).toBe(expected)
})

const PRESENTED = ['anoncreds/proof@v1.0', 'hlindy/proof@v2.0']
const [NEWER, OLDER] = ['anoncreds/proof-request@v1.0', 'hlindy/proof-req@v2.0']
const record = {} as DidCommProofExchangeRecord

/** A presentation in formats, and the repository of messages. */
const presented = (formats: string[], repository: object) =>
  Object({
    agentContext: { resolve: () => repository },
    message: { formats: formats.map((format) => ({ format })) },
  })

test.each([
  ['the older format', [OLDER], ['hlindy/proof@v2.0']],
  ['the newer format', [NEWER], ['anoncreds/proof@v1.0']],
  ['both', [OLDER, NEWER], ['anoncreds/proof@v1.0']],
  ['neither', ['dif/presentation-exchange/definitions@v1.0'], ['anoncreds/proof@v1.0']],
])('a presentation in the newer format is read as what was requested: %s', async (_, requested, expected) => {
  const getAgentMessage = async () => ({ formats: requested.map((format) => ({ format })) })
  const inbound = presented(['anoncreds/proof@v1.0'], { getAgentMessage })
  await renameToRequested(inbound, record)
  expect(inbound.message.formats.map(({ format }: { format: string }) => format)).toEqual(expected)
})

test.each([
  [true, PRESENTED.slice(0, 1)],
  [true, PRESENTED.slice(1)],
  [true, ['dif/presentation-exchange/submission@v1.0', ...PRESENTED]],
  [false, ['dif/presentation-exchange/submission@v1.0']],
])('%s: a rejected presentation in the formats %s is stored', async (isStored, formats) => {
  const saveOrUpdateAgentMessage = vi.fn()
  await storeRejected(presented(formats, { saveOrUpdateAgentMessage }), record)
  expect(saveOrUpdateAgentMessage).toHaveBeenCalledTimes(isStored ? 1 : 0)
})
