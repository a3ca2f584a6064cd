/** Whether a request asks for what was proposed, and for nothing else. */
import type { AgentContext } from '@credo-ts/core'
import { DidCommAttachment, type DidCommProofExchangeRecord, type DidCommProofFormatService } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { isAsProposed } from '../../../../lib/agent/exchanges/proofs/attached-formats.ts'

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
