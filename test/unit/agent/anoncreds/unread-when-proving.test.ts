/** A holder's response to a proof request, while the host of a tails file or an object fails: it can be repeated later, and the request is valid. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AgentContext, CredoError, TypedArrayEncoder } from '@credo-ts/core'
import { DidCommAttachment } from '@credo-ts/didcomm'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { proofResponse } from '../../../../lib/agent/formats/anoncreds/proof-messages.ts'
import { TailsFiles } from '../../../../lib/agent/formats/anoncreds/tails-files.ts'
import { readText } from '../../../../lib/agent/web/index.ts'
import { transaction } from '../../../../lib/store/transaction.ts'

vi.mock('../../../../lib/agent/formats/anoncreds/library.ts', async (original) => ({
  ...(await original<object>()),
  assertAnonCredsLoads: () => {},
}))
vi.mock('../../../../lib/agent/formats/anoncreds/select-credentials.ts', () => ({
  selectCredentials: async () => ({}),
}))

let origin = ''
let status = 503

beforeAll(async () => {
  const server = createServer((_, response) => response.writeHead(status).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => server.close()
})

const request = {
  ...{ name: 'p', version: '1.0', nonce: '1' },
  requested_attributes: { r: { name: 'x' } },
  requested_predicates: {},
}

/** Responds by an `act` that reads what the wallet needs. */
const respondBy = (act: () => Promise<unknown>) =>
  transaction('acme', () =>
    proofResponse(
      { formatKey: 'anoncreds' },
      {} as AgentContext,
      Object({ proofRecord: { id: 'p' }, requestAttachment: new DidCommAttachment({ data: { json: request } }) }),
      async () => {
        await act()
        throw new CredoError('the response cannot be made')
      },
    ),
  )

const getTailsFile = (tailsLocation: string) => {
  const value = { maxCredNum: 1, tailsLocation, tailsHash: TypedArrayEncoder.toBase58(new Uint8Array(32).fill(7)) }
  return new TailsFiles().getTailsFile({} as AgentContext, Object({ revocationRegistryDefinition: { value } }))
}

const NEEDED: [string, () => Promise<unknown>][] = [
  ['an object', () => readText(`${origin}/object`).catch(() => undefined)],
  ['a tails file', () => getTailsFile(`${origin}/tails`)],
]

test.each(NEEDED)('%s that cannot be read: registry.unavailable', async (_, act) => {
  await expect(respondBy(act)).rejects.toMatchObject({ code: 'registry.unavailable' })
})

test.each(NEEDED)('%s that is not there: the request cannot be answered', async (_, act) => {
  status = 404
  onTestFinished(() => {
    status = 503
  })
  await expect(respondBy(act)).rejects.toMatchObject({ code: 'request.invalid' })
})

test('a tails file at an address that the guard rejects: the request cannot be answered', async () => {
  const answer = respondBy(() => getTailsFile('http://169.254.169.254/tails'))
  await expect(answer).rejects.toMatchObject({ code: 'request.invalid' })
})
