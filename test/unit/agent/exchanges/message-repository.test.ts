/** Messages of exchanges: those of a new one are not looked for. */
import { randomUUID } from 'node:crypto'
import {
  DidCommCredentialExchangeRecord,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommMessageRole,
  DidCommProofExchangeRecord,
  DidCommProofRole,
  DidCommProofState,
  DidCommRequestPresentationV2Message,
} from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { AgentMessageRepository } from '../../../../lib/agent/exchanges/message-repository.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { useTable } from '../../store/use-table.ts'
import { contextOf, repositoryServices, storage } from '../credo-storage.ts'

const table = await useTable({ memory: true })
const acme = contextOf('acme')
const messages = new AgentMessageRepository(repositoryServices())

const newExchange = () =>
  new DidCommProofExchangeRecord({
    ...{ protocolVersion: 'v2', threadId: randomUUID() },
    ...{ state: DidCommProofState.RequestSent, role: DidCommProofRole.Verifier },
  })
const newIssuance = () =>
  new DidCommCredentialExchangeRecord({
    ...{ protocolVersion: 'v2', threadId: randomUUID() },
    ...{ state: DidCommCredentialState.OfferSent, role: DidCommCredentialRole.Issuer },
  })
const save = (associatedRecordId: string, comment: string) =>
  messages.saveOrUpdateAgentMessage(acme, {
    agentMessage: new DidCommRequestPresentationV2Message({ comment, formats: [], requestAttachments: [] }),
    role: DidCommMessageRole.Sender,
    associatedRecordId,
  })
const comments = (id: string) =>
  transaction('acme', async () => {
    const found = await messages.findByQuery(acme, { associatedRecordId: id })
    return found.map(({ message }) => message.comment)
  })

test('a new exchange has one message of a type, however often it is saved', async () => {
  const exchange = newExchange()
  table.watch()
  await transaction('acme', async () => {
    await save(exchange.id, 'first')
    await storage.save(acme, exchange)
    await save(exchange.id, 'second')
  })
  expect(table.requests).toEqual(['TransactWriteItems'])
  expect(await comments(exchange.id)).toEqual(['second'])
})

test.each([
  ['a proof', newExchange, DidCommProofExchangeRecord],
  ['a credential', newIssuance, DidCommCredentialExchangeRecord],
])('the message of an exchange of %s that was read replaces the one that is stored', async (_, create, type) => {
  const exchange = create()
  await transaction('acme', async () => {
    await storage.save(acme, exchange)
    await save(exchange.id, 'first')
  })
  await transaction('acme', async () => {
    await storage.getById<DidCommProofExchangeRecord | DidCommCredentialExchangeRecord>(acme, Object(type), exchange.id)
    await save(exchange.id, 'second')
  })
  expect(await comments(exchange.id)).toEqual(['second'])
})
