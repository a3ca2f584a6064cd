/** A world for the tests of the interface: a stage, three agents that each had a whole exchange with a real wallet, and token issuers. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ALL_GRANTS, type Grants } from '../../../lib/auth/grants.ts'
import { waitFor } from '../../wallet/wait.ts'
import { Wallet } from '../../wallet/wallet.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { startStage } from '../stage/stage.ts'
import { startKms } from '../table/kms-server.ts'
import { ApiClient } from './client.ts'
import { type Party, settle, tenantOf } from './party.ts'
import { newIssuer, publicKeyOf, sign, type TestIssuer } from './tokens.ts'

export interface World {
  baseUrl: string
  dynamodbEndpoint: string
  tableName: string
  /** A token of the stage's own issuer, as it prints it. */
  printedToken: string
  issuers: Record<'eddsa' | 'remote' | 'unreachable' | 'limited' | 'ofOrganizations', TestIssuer>
  /** Of root roles; they act in the base agent. */
  tokens: { root: string; rootWithTenants: string }
  base: Party
  acme: Party
  globex: Party
}

export interface RunningWorld extends World {
  wallet: Wallet
  /** The stage's output so far. */
  output(): string
  stop(): Promise<void>
}

/** Claims that limited issuers may make; the others may make all. */
const LIMITS = {
  limited: {
    roles: ['RestRootAgentWithTenants', 'RestTenantAgent'],
    tenants: ['granted-tenant'],
    organizations: ['granted-org', '__proto__'],
  },
  ofOrganizations: { ...ALL_GRANTS, organizations: ['granted-org'] },
} satisfies Record<string, Grants>

/** Serves the key set of one issuer. */
const serveKeys = async (issuer: TestIssuer): Promise<{ server: Server; url: string }> => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [publicKeyOf(issuer)] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks` }
}

const startIssuers = async () => {
  const [eddsa, remote, unreachable, limited, ofOrganizations] = await Promise.all([
    newIssuer('eddsa', 'EdDSA'),
    newIssuer('remote', 'ES256'),
    newIssuer('unreachable', 'ES256'),
    newIssuer('limited', 'EdDSA'),
    newIssuer('ofOrganizations', 'EdDSA'),
  ])
  const { server, url } = await serveKeys(remote)
  const entry = ({ issuer, audience }: TestIssuer, keys: Json) => ({ issuer, audience, ...keys, grants: ALL_GRANTS })
  const withKey = (issuer: TestIssuer) => entry(issuer, { jwks: { keys: [publicKeyOf(issuer)] } })
  const settings = [
    withKey(eddsa),
    { ...withKey(limited), grants: LIMITS.limited },
    { ...withKey(ofOrganizations), grants: LIMITS.ofOrganizations },
    entry(remote, { jwksUri: url }),
    // The discard port: no server listens there.
    entry(unreachable, { jwksUri: 'http://127.0.0.1:9/jwks' }),
  ]
  return { server, settings, issuers: { eddsa, remote, unreachable, limited, ofOrganizations } }
}

/** Starts all of it. */
export const startWorld = async (): Promise<RunningWorld> => {
  const { server, settings, issuers } = await startIssuers()
  // As on AWS: with the same sealing and permissions.
  const kms = await startKms('alias/local')
  const [stage, wallet, silentWallet] = await Promise.all([
    // The environment of the tests names a public URL, which is not this stage's.
    startStage({
      env: { PUBLIC_URL: '', TOKEN_ISSUERS: JSON.stringify(settings), KMS_ENDPOINT: kms.url, LOG_LEVEL: 'warn' },
    }),
    Wallet.start(),
    Wallet.start({ endpoint: false }),
  ])
  const stop = async () => {
    await Promise.all([wallet.stop(), silentWallet.stop()])
    server.close()
    await stage.stop()
    await kms.stop()
  }
  try {
    const api = await ApiClient.of(stage.baseUrl)
    const tokens = {
      root: await sign(issuers.eddsa, { role: 'RestRootAgent' }),
      rootWithTenants: await sign(issuers.eddsa, { role: 'RestRootAgentWithTenants' }),
    }
    const scene = { api, issuer: issuers.eddsa, wallet, silentWallet }
    const [acme, globex] = await Promise.all([
      tenantOf(scene, tokens.rootWithTenants, 'Acme University'),
      tenantOf(scene, tokens.rootWithTenants, 'Globex Academy'),
    ])
    const parties = await Promise.all([
      settle(scene, { label: 'serverless-agent', token: tokens.root, orgId: 'base' }),
      settle(scene, acme),
      settle(scene, globex),
    ])
    await waitFor('the wallet to have nothing left to do', async () =>
      (await wallet.proofs()).every(({ state }) => state === 'done'),
    )
    return {
      baseUrl: stage.baseUrl,
      dynamodbEndpoint: stage.dynamodbEndpoint,
      tableName: stage.tableName,
      printedToken: stage.rootToken,
      issuers,
      tokens,
      base: parties[0],
      acme: parties[1],
      globex: parties[2],
      wallet,
      output: () => stage.output(),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
