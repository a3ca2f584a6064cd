/**
 * Example calls that follow from a contract: of operations whose input is only texts, and records which the scene
 * can make.
 */
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import type { Contract, Schema } from '../../../lib/interface/contract.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { offerBody } from '../scenes.ts'
import type { Asked, CallScene, MakeExample } from './call-scene.ts'
import { issued } from './exchanges.ts'
import { presented } from './presented-proofs.ts'

/** How to make a new record of the caller's agent, by the path parameter that names it. */
const RECORDS: Record<string, (scene: CallScene) => Promise<string>> = {
  tenantId: async ({ tenantId }) => tenantId,
  connectionId: (scene) => scene.connect(),
  credentialRecordId: async (scene) =>
    (await scene.done('CreateOffer', { body: offerBody(await scene.connection(), scene.wallet.did) })).id,
  w3cCredentialRecordId: async (scene) => (await issued(scene)).credentials[0].credentialRecordId,
  proofRecordId: presented,
  outOfBandId: async (scene) => (await scene.done('CreateInvitation', { body: {} })).outOfBandRecord.id,
  questionAnswerId: async (scene) => {
    const body = { question: `Was it you, ${randomUUID()}?`, validResponses: [{ text: 'Yes' }, { text: 'No' }] }
    return (await scene.done('SendQuestion', { path: { connectionId: await scene.connection() }, body })).id
  },
}

const pathNames = ({ path }: Contract): string[] => [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => name)

/** A body with a new text in each required field, which the schema may reject. */
const bodyOf = (schema: Schema): object => {
  const { issues = [] } = v.safeParse(schema, {})
  const required = issues.flatMap(({ path = [] }) => path.map(({ key }) => String(key)))
  // A text, and an address.
  return Object.fromEntries(required.map((name) => [name, `https://example.org/${randomUUID()}`]))
}

/** Makes the record of `{name}` by the POST to its collection; undefined if this module does not know the body of that. */
const makerByCreation = ({ path }: Contract, name: string): ((scene: CallScene) => Promise<string>) | undefined => {
  const creation = OPERATIONS.find(
    (other) => other.method === 'POST' && path.startsWith(`${other.path}/{${name}}`) && other.security === 'token',
  )
  if (creation?.body === undefined || !v.is(creation.body, bodyOf(creation.body))) return undefined
  const { operationId, body } = creation
  return async (scene) => (await scene.done(operationId, { body: bodyOf(body) })).id
}

/**
 * Undefined where the contract does not tell enough: it has parameters or a required body that this module does not know, or
 * needs two different requests and names neither a record nor a text. Records that are to change are new; those that are only read are
 * made once.
 */
export const exampleByContract = (contract: Contract): MakeExample | undefined => {
  const { body, parameters, security, idempotent } = contract
  const names = pathNames(contract)
  const makerOfRecord = (name: string) => RECORDS[name] ?? makerByCreation(contract, name)
  const isKnown =
    security === 'token' &&
    names.every((name) => makerOfRecord(name) !== undefined) &&
    (parameters?.query === undefined || v.is(parameters.query, {})) &&
    (body === undefined || v.is(body, bodyOf(body))) &&
    !(idempotent && names.length === 0 && (body === undefined || v.is(body, {})))
  if (!isKnown) return undefined
  const ask = async (scene: CallScene): Promise<Asked> => ({
    path: Object.fromEntries(await Promise.all(names.map(async (name) => [name, await recordOf(scene, name)]))),
    ...(body && { body: bodyOf(body) }),
  })
  const recordOf = (scene: CallScene, name: string): Promise<string> | undefined => {
    const make = () => makerOfRecord(name)?.(scene) ?? Promise.reject(new Error(`no example makes a ${name}`))
    return idempotent ? make() : scene.once(`${name} by contract`, make)
  }
  return async (scene) => ({
    asked: await ask(scene),
    ...(idempotent && { other: await ask(scene) }),
    ...(names.includes('tenantId') && { unauthorized: await scene.newTenant() }),
  })
}
