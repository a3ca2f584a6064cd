/**
 * Settings that are packed with the code: what a function that was deployed with them does, with nothing of them in its
 * environment.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { localIssuer } from '../../../infra/local/issuer.ts'
import Bundles from '../../../infra/plugins/bundle.ts'
import PackedSettings from '../../../infra/plugins/packed-settings.ts'
import type { FunctionDefinition, Serverless, Template } from '../../../infra/service.ts'
import { readPacked } from '../../../lib/settings.ts'
import { answerCommands } from '../../support/aws/answers.ts'
import { startFunction } from '../../support/bench/function-process.ts'
import { serviceFolder, temporaryFolder } from '../../support/stage/folder.ts'

const HOOK = 'before:package:createDeploymentArtifacts'

/** Runs the plugins over a service with this function, as `serverless package` does. */
const packaged = async (serviceDir: string, definition: FunctionDefinition) => {
  const warnings: string[] = []
  const serverless: Serverless = Object({
    serviceDir,
    service: { functions: { authorizer: definition }, custom: {}, provider: { compiledCloudFormationTemplate: {} } },
    classes: { Error },
    processedInput: { commands: ['package'] },
  })
  const tools = { log: { warning: (line: string) => warnings.push(line) } }
  await new PackedSettings(serverless, {}, tools).hooks[HOOK]?.()
  await new Bundles(serverless).hooks[HOOK]?.()
  return { zip: await readFile(join(serviceDir, definition.package?.artifact ?? '')), warnings }
}

const authorizer = (TOKEN_ISSUERS: string): FunctionDefinition => ({
  name: 'authorizer',
  handler: 'functions/authorizer.authorizer',
  permissions: [],
  environment: { TOKEN_ISSUERS, TENANT_RATE: '0' },
})

const methodArn = 'arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/connections'

test('the authorizer knows the issuers out of its zip', async () => {
  await using folder = await serviceFolder({})
  const issuer = await localIssuer(folder.path)
  const definition = authorizer(JSON.stringify([issuer.settings]))
  const { zip, warnings } = await packaged(folder.path, definition)
  expect(definition.environment).toEqual({ TENANT_RATE: '0' })
  expect(warnings).toEqual([])

  const unpacked = join(folder.path, 'unpacked')
  await mkdir(unpacked)
  for (const [name, contents] of Object.entries(unzipSync(zip))) await writeFile(join(unpacked, name), contents)
  const running = await startFunction(join(unpacked, 'index.mjs'), 'authorizer', {
    TABLE_NAME: 'table',
    PUBLIC_URL: 'https://agent.example.org',
    NODE_OPTIONS: '--disallow-code-generation-from-strings',
  })
  onTestFinished(() => running.stop())
  const ask = async (token: string) => running.invoke({ type: 'TOKEN', methodArn, authorizationToken: token })
  expect(await ask(await issuer.sign({ role: 'RestRootAgent' }))).toMatchObject({ principalId: 'RestRootAgent' })
  await expect(ask('Bearer x')).rejects.toThrow('Unauthorized')

  const again = await packaged(folder.path, authorizer(JSON.stringify([issuer.settings])))
  expect(again.zip.equals(zip)).toBe(true)
})

/** Runs the plugin alone, for a command on these functions. Returns what it has found. */
const pack = async (command: string, functions: Record<string, FunctionDefinition>) => {
  const custom: { issuerFindings?: object[] } = {}
  const serverless: Serverless = Object({
    service: { functions, custom, provider: { compiledCloudFormationTemplate: {} } },
    classes: { Error },
    processedInput: { commands: [command] },
  })
  await new PackedSettings(serverless, {}, Object({ log: {} })).hooks[HOOK]?.()
  return custom.issuerFindings
}

test('a function without such settings is as it was, and nothing is packed of one whose settings are empty', async () => {
  const [health, sends] = [{ LOG_LEVEL: 'info' }, { LOG_LEVEL: 'info', INDY_PROXIES: '{}' }].map((environment) => ({
    ...{ name: 'a', handler: 'functions/health.health', permissions: [], environment },
  }))
  if (health === undefined || sends === undefined) throw new Error('there are two')
  const before = structuredClone(health)
  await pack('package', { health, sends })
  expect(health).toEqual(before)
  expect(sends).toEqual(before)
})

test('doctor finds an issuer that is wrong, with which a deployment would end', async () => {
  const findings = await pack('check', {
    authorizer: authorizer('[{"issuer":"https://id.example","audience":"agent"}]'),
  })
  expect(findings).toContainEqual(expect.objectContaining({ status: 'fault' }))
})

test('a forced deployment packs keys anew, whatever the one before has packed', async () => {
  await using folder = await temporaryFolder()
  const { settings } = await localIssuer(folder.path)
  const definition = authorizer(JSON.stringify([{ ...settings, jwksUri: 'https://id.example.org/jwks' }]))
  const serverless: Serverless = Object({
    service: { functions: { authorizer: definition }, custom: {}, provider: { compiledCloudFormationTemplate: {} } },
    classes: { Error },
    processedInput: { commands: ['deploy'] },
    getProvider: () => expect.unreachable('the stack is not asked'),
  })
  const before = Date.now()
  await new PackedSettings(serverless, { force: true }, Object({ log: {} })).hooks[HOOK]?.()
  expect(Object(definition.packed?.TOKEN_ISSUERS)[0].preparedAt).toBeGreaterThanOrEqual(before)
})

test('keys have the time of the deployment that has packed the same, and now where none can be read', async () => {
  await using folder = await temporaryFolder()
  const { settings } = await localIssuer(folder.path)
  onTestFinished(() => void vi.restoreAllMocks())
  const deploy = async (template: object) => {
    answerCommands({ GetTemplateCommand: template })
    const definition = authorizer(JSON.stringify([{ ...settings, jwksUri: 'https://id.example.org/jwks' }]))
    const compiledCloudFormationTemplate: Partial<Template> = {}
    const serverless: Serverless = Object({
      service: { functions: { authorizer: definition }, custom: {}, provider: { compiledCloudFormationTemplate } },
      classes: { Error },
      processedInput: { commands: ['deploy'] },
      getProvider: () => ({
        getAwsSdkV3Config: async () => ({ region: 'eu-central-1' }),
        naming: { getStackName: () => 'agent-prod' },
      }),
    })
    const { hooks } = new PackedSettings(serverless, {}, Object({ log: {} }))
    await hooks[HOOK]?.()
    const [times] = Object.values(compiledCloudFormationTemplate.Metadata ?? {})
    return { preparedAt: Object(definition.packed?.TOKEN_ISSUERS)[0].preparedAt, times: Object(times) }
  }
  const before = Date.now()
  const first = await deploy(new Error('there is no stack'))
  expect(first.preparedAt).toBeGreaterThanOrEqual(before)
  const [packed = ''] = Object.keys(first.times)
  const TemplateBody = JSON.stringify({ Metadata: { IssuerKeysPackedAt: { [packed]: 7 } }, Resources: {} })
  expect(await deploy({ TemplateBody })).toEqual({ preparedAt: 7, times: { [packed]: 7 } })
})

describe('is not packaged', () => {
  const key = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'k' }
  const issuer = { issuer: 'https://id.example', audience: 'agent' }
  test.each([
    [
      'an issuer with a private key',
      { ...issuer, jwks: { keys: [{ ...key, d: 'A'.repeat(43) }] } },
      'TOKEN_ISSUERS.0.jwks: holds a private key',
    ],
    [
      'an issuer without keys',
      issuer,
      'https://id.example has neither jwks nor jwksUri: no token of it would be valid',
    ],
  ])('%s', async (_, one, problem) => {
    await expect(packaged('/nowhere', authorizer(JSON.stringify([one])))).rejects.toThrow(problem)
  })
})

describe('a function', () => {
  test('without a file has none of them', async () => {
    await using folder = await temporaryFolder()
    expect(readPacked(folder.path)).toEqual({})
  })

  test('with an unknown file does not start', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'settings.json'), '[')
    expect(() => readPacked(folder.path)).toThrow(expect.objectContaining({ code: 'settings.invalid' }))
  })

  test('with a file that can’t be read does not do without it', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'settings.json'))
    expect(() => readPacked(folder.path)).toThrow('EISDIR')
  })

  test('takes nothing else out of it', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'settings.json'), '{"TRUSTED_CONTEXTS":[],"LOCAL_STAGE":"true"}')
    expect(readPacked(folder.path)).toEqual({ TRUSTED_CONTEXTS: '[]' })
  })
})
