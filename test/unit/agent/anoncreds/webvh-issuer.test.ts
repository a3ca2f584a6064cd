/** An agent's did:webvh: made once, served from the table, and a DID that Credo signs with. */
import { resolveDIDFromLog } from 'didwebvh-ts'
import { expect, test } from 'vitest'
import '../../../../lib/agent/compose.ts'
import { currentAgent } from '../../../../lib/agent/credo/current.ts'
import { webvhIssuer } from '../../../../lib/agent/dids/webvh-issuer.ts'
import { BASE_AGENT } from '../../../../lib/records/tenant.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { requireLog } from '../../../../lib/webvh/published.ts'
import { useTable } from '../../store/use-table.ts'

const table = await useTable({ memory: true, check: false })

const issuerOf = (tenant: string) => transaction(tenant, async () => webvhIssuer(await currentAgent()))

test('the DID names where its log is served, and is the same for ever', async () => {
  const did = await issuerOf('acme')
  expect(did).toMatch(/^did:webvh:Qm\w{44}:localhost%3A3000:webvh:acme$/)
  await expect(issuerOf('acme')).resolves.toBe(did)
  await expect(issuerOf(BASE_AGENT)).resolves.toMatch(/:webvh:base$/)
})

test('a unit of work that asks twice creates one DID, and so do many concurrent ones', async () => {
  const [first, second] = await transaction('twice', async () => {
    const agent = await currentAgent()
    return [await webvhIssuer(agent), await webvhIssuer(agent)]
  })
  expect(second).toBe(first)
  const dids = await Promise.all(Array.from({ length: 4 }, () => issuerOf('many')))
  expect(new Set(dids).size).toBe(1)
  const records = (await table.items('many|DidRecord|')).filter(({ kind }) => kind?.S === 'record')
  expect(records).toHaveLength(1)
})

test('nothing of a DID is there when its unit of work fails', async () => {
  const failed = transaction('failed', async () => {
    await webvhIssuer(await currentAgent())
    throw new Error('on purpose')
  })
  await expect(failed).rejects.toThrow('on purpose')
  await expect(table.items('failed|')).resolves.toEqual([])
})

test('its log is valid, with one key, to assert with', async () => {
  const did = await issuerOf('acme')
  const { log } = await requireLog('acme')
  const entries = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [entry] = entries
  const [method] = entry.state.verificationMethod
  const { publicKeyMultibase } = method
  expect(method).toEqual({ controller: did, type: 'Multikey', id: `${did}#${publicKeyMultibase}`, publicKeyMultibase })
  expect(entry.state).toMatchObject({ id: did, controller: did, assertionMethod: [method.id], authentication: [] })
  expect(entry.proof[0].verificationMethod).toBe(`did:key:${method.publicKeyMultibase}#${method.publicKeyMultibase}`)
  const verify = async () => true
  await expect(resolveDIDFromLog(entries, { verifier: { verify } })).resolves.toMatchObject({ did })
})

test('Credo resolves it, knows it as created, and signs with its key', async () => {
  const did = await issuerOf('acme')
  await transaction('acme', async () => {
    const agent = await currentAgent()
    const [record] = await agent.dids.getCreatedDids({ did })
    const { didDocument, keys } = await agent.dids.resolveCreatedDidDocumentWithKeys(did)
    expect(didDocument.id).toBe(did)
    const relativeId = didDocument.verificationMethod?.[0]?.id.slice(did.length)
    expect(keys?.map(({ didDocumentRelativeKeyId }) => didDocumentRelativeKeyId)).toEqual([relativeId])
    expect(record?.keys).toEqual(keys)
    const keyId = keys?.[0]?.kmsKeyId ?? ''
    const data = Buffer.from('signed')
    const { signature } = await agent.kms.sign({ keyId, algorithm: 'EdDSA', data })
    await expect(agent.kms.verify({ key: { keyId }, algorithm: 'EdDSA', data, signature })).resolves.toMatchObject({
      verified: true,
    })
  })
})
