/** The settings of a deployment: required and invalid ones, each with one line. */
import { globSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DeploymentSettings, settingsProblems as problemsIn } from '../../../infra/deployment/settings.ts'
import DeploymentPlugin from '../../../infra/plugins/deployment.ts'

const issuers = (...list: unknown[]) => ({ TOKEN_ISSUERS: JSON.stringify(list) })
const issuer = { issuer: 'https://id.example.org', audience: 'agent', jwksUri: 'https://id.example.org/jwks' }
const settingsProblems = (environment: NodeJS.ProcessEnv, stage: string) =>
  problemsIn(environment, stage, 'eu-central-1')

const key = 'arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-0000-0000-000000000000'

const contexts = (count: number, digest = 'ab'.repeat(32)) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ address: `https://c.example.org/${index}`, digest })))
const proxies = (count: number) =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, 'https://p.example.org'])),
  )

test('issuers are enough for dev', () => {
  expect(settingsProblems(issuers(issuer), 'dev')).toEqual([])
})

test('elsewhere an address is needed too', () => {
  expect(settingsProblems(issuers(issuer), 'prod')).toEqual([expect.stringMatching(/^PUBLIC_URL: is not set, /)])
  expect(settingsProblems({ ...issuers(issuer), PUBLIC_URL: 'https://agent.example.org' }, 'prod')).toEqual([])
})

test('an empty region is reported, unless another one is named', () => {
  const environment = { ...issuers(issuer), AWS_REGION: '' }
  expect(problemsIn(environment, 'dev', 'us-east-1')).toEqual([expect.stringMatching(/^AWS_REGION is empty/)])
  expect(problemsIn(environment, 'dev', 'eu-west-1')).toEqual([])
  expect(problemsIn({ ...environment, AWS_REGION: 'us-east-1' }, 'dev', 'us-east-1')).toEqual([])
})

test.each([{}, { TOKEN_ISSUERS: '' }])('says what is missing, with an example that would do: %j', (environment) => {
  const [problem, ...others] = settingsProblems(environment, 'dev')
  expect(problem).toMatch(/^TOKEN_ISSUERS is not set; for example \[.+\]$/)
  expect(others).toEqual([])
  expect(settingsProblems({ TOKEN_ISSUERS: problem?.replace(/^.*for example /, '') }, 'dev')).toEqual([])
})

test('all that can be said, rightly said; an empty setting is as good as none', () => {
  const all = {
    ...issuers(issuer),
    PUBLIC_URL: 'https://agent.example.org/v1',
    DOMAIN_NAME: 'agent.example.org',
    CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
    HOSTED_ZONE_ID: 'Z1',
    BASE_PATH: 'v1',
    KEEP_DOMAIN: 'true',
    TRUSTED_CONTEXTS: '[]',
    INDY_PROXIES:
      '{"indicio:testnet":"https://proxy.example.org/indicio%3Atestnet/","sovrin":"https://proxy.example.org:8443"}',
    BASE_ORG_ID: 'base',
    AGENT_LABEL: 'Agent',
    AUTO_ACCEPT_OFFERS: 'true',
    AUTO_ACCEPT_PROOF_REQUESTS: 'false',
    LOG_LEVEL: 'debug',
    ALLOW_NEW_ADDRESS: 'true',
    ALLOW_NEW_TABLE: 'false',
    OPERATION_RATE: '100',
    DIDCOMM_RATE: '50',
    TENANT_RATE: '10',
    ADDRESS_RATE: '100',
    ALARM_EMAIL: 'operators@example.org',
    WAITING_LANES: '50',
    ACCOUNT_CONCURRENCY: '10',
    TRACING: 'on',
    DELIVERY_CONCURRENCY: '2',
    SLOW_DELIVERY_CONCURRENCY: '1000',
    TABLE_NAME: 'agent-prod',
    ANONCREDS: 'off',
    DELETION_PROTECTION: 'false',
  }
  expect(settingsProblems(all, 'prod')).toEqual([])
  const empty = Object.fromEntries(Object.keys(all).map((name) => [name, '']))
  expect(settingsProblems({ ...empty, ...issuers(issuer) }, 'dev')).toEqual([])
  const { TABLE_NAME: _, ...others } = all
  expect(settingsProblems({ ...others, EXISTING_TABLE: 'agent-prod', EXISTING_KEY: key }, 'prod')).toEqual([])
  expect(Object.keys(DeploymentSettings.entries).sort()).toEqual(
    [...Object.keys(all), 'EXISTING_TABLE', 'EXISTING_KEY'].sort(),
  )
})

test.each([
  [issuers(), /^TOKEN_ISSUERS: is empty/],
  [{ TOKEN_ISSUERS: 'https://id.example.org' }, /^TOKEN_ISSUERS: is not JSON$/],
  [issuers({ ...issuer, jwksUri: 'id' }), /^TOKEN_ISSUERS\.0\.jwksUri: .+$/],
  [
    issuers({ ...issuer, jwksUri: 'http://id.example.org/jwks' }),
    /^TOKEN_ISSUERS: the jwksUri of https:\/\/id\.example\.org is rejected: not https$/,
  ],
  [
    issuers({ ...issuer, jwksUri: 'https://192.168.1.1/jwks' }),
    /^TOKEN_ISSUERS: the jwksUri of .+ is rejected: private$/,
  ],
  [issuers({ ...issuer, jwksUri: undefined }), /^TOKEN_ISSUERS: .+ has neither jwks nor jwksUri: .+$/],
  [issuers({ ...issuer, jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }), /^TOKEN_ISSUERS\.0\.jwks: holds a private key$/],
  [{ INDY_PROXIES: '7' }, /^INDY_PROXIES: is not a JSON object$/],
  [{ INDY_PROXIES: '{"Sovrin":"https://a.example.org"}' }, /^INDY_PROXIES\.Sovrin: is not a namespace of did:indy$/],
  [{ INDY_PROXIES: '{"sovrin":"proxy"}' }, /^INDY_PROXIES\.sovrin: is not a URL of http or https/],
  [{ INDY_PROXIES: '{"sovrin":7}' }, /^INDY_PROXIES\.sovrin: is not a URL of http or https/],
  [
    { INDY_PROXIES: '{"sovrin":"https://a.example.org/?x"}' },
    /^INDY_PROXIES\.sovrin: is not a URL .+ without query and fragment$/,
  ],
  [{ INDY_PROXIES: '{"sovrin":"http://a.example.org"}' }, /^INDY_PROXIES: the proxy of sovrin is rejected: not https$/],
  [{ INDY_PROXIES: '{"sovrin":"https://10.0.0.1"}' }, /^INDY_PROXIES: the proxy of sovrin is rejected: private$/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL: .+$/],
  [{ PUBLIC_URL: 'agent.example.org' }, /^PUBLIC_URL: .+$/],
  [{ PUBLIC_URL: 'https://agent.example.org/' }, /^PUBLIC_URL: ends with a slash$/],
  [{ BASE_ORG_ID: 'a/b' }, /^BASE_ORG_ID: .+$/],
  [{ OPERATION_RATE: 'fast' }, /^OPERATION_RATE: is not a whole number from 1 to 999999$/],
  [{ OPERATION_RATE: '0100' }, /^OPERATION_RATE: is not a whole number from 1 to 999999$/],
  [{ DIDCOMM_RATE: '1000000' }, /^DIDCOMM_RATE: is not a whole number from 1 to 999999$/],
  [{ WAITING_LANES: '0' }, /^WAITING_LANES: is not a whole number from 1 to 9999999$/],
  [{ BASE_ORG_ID: '..' }, /^BASE_ORG_ID: .+$/],
  [{ AUTO_ACCEPT_OFFERS: 'yes' }, /^AUTO_ACCEPT_OFFERS: .+$/],
  [{ AUTO_ACCEPT_PROOF_REQUESTS: 'yes' }, /^AUTO_ACCEPT_PROOF_REQUESTS: .+$/],
  [{ TRUSTED_CONTEXTS: contexts(11) }, /^TRUSTED_CONTEXTS: .+$/],
  [{ TRUSTED_CONTEXTS: contexts(1, 'AB'.repeat(32)) }, /^TRUSTED_CONTEXTS.*: is not a SHA-256 in hexadecimal$/],
  [{ TRUSTED_CONTEXTS: contexts(1, 'ab'.repeat(33)) }, /^TRUSTED_CONTEXTS.*: is not a SHA-256 in hexadecimal$/],
  [{ INDY_PROXIES: proxies(11) }, /^INDY_PROXIES: .+$/],
  [{ ALLOW_NEW_ADDRESS: 'yes' }, /^ALLOW_NEW_ADDRESS: is neither true nor false$/],
  [{ ALLOW_NEW_TABLE: 'yes' }, /^ALLOW_NEW_TABLE: is neither true nor false$/],
  [{ TENANT_RATE: '0' }, /^TENANT_RATE: is not a whole number from 1 to 999999$/],
  [{ ADDRESS_RATE: '1' }, /^ADDRESS_RATE: is not a whole number from 10 to 999999999$/],
  [{ HOSTED_ZONE_ID: 'Z1' }, /^HOSTED_ZONE_ID: has no meaning without DOMAIN_NAME$/],
  [{ DELIVERY_CONCURRENCY: '1' }, /^DELIVERY_CONCURRENCY: is not a whole number from 2 to 1000$/],
  [{ SLOW_DELIVERY_CONCURRENCY: '1001' }, /^SLOW_DELIVERY_CONCURRENCY: is not a whole number from 2 to 1000$/],
  [{ TABLE_NAME: 'a b' }, /^TABLE_NAME: is not the name of a table$/],
  [{ ALARM_EMAIL: 'ops' }, /^ALARM_EMAIL: is not an e-mail address$/],
  [{ ACCOUNT_CONCURRENCY: 'all' }, /^ACCOUNT_CONCURRENCY: is not a whole number from 1 to 9999999$/],
  [{ ANONCREDS: 'no' }, /^ANONCREDS: is neither on nor off$/],
  [{ DELETION_PROTECTION: 'no' }, /^DELETION_PROTECTION: is neither true nor false$/],
  [{ EXISTING_TABLE: 'agent-prod' }, /^EXISTING_KEY is not set: /],
  [{ EXISTING_KEY: key }, /^EXISTING_TABLE is not set: /],
  [{ EXISTING_TABLE: 'agent-prod', EXISTING_KEY: 'alias/agent' }, /^EXISTING_KEY: is not the ARN of a KMS key$/],
  [
    { EXISTING_TABLE: 'agent-prod', EXISTING_KEY: key, TABLE_NAME: 'agent-prod' },
    /^TABLE_NAME and EXISTING_TABLE are both set/,
  ],
])('names the one setting that is wrong: %j', (environment, problem) => {
  const problems = settingsProblems({ ...issuers(issuer), ...environment }, 'dev')
  expect(problems).toEqual([expect.stringMatching(problem)])
})

test('as many contexts and proxies as there may be are right', () => {
  const environment = { ...issuers(issuer), TRUSTED_CONTEXTS: contexts(10), INDY_PROXIES: proxies(10) }
  expect(settingsProblems(environment, 'dev')).toEqual([])
})

test('several wrong settings are a line each', () => {
  const problems = settingsProblems({ ...issuers(issuer), LOG_LEVEL: 'loud', TENANT_RATE: 'x' }, 'dev')
  expect(problems).toHaveLength(2)
})

describe('the guide', () => {
  const guide = readFileSync('docs/deploy.md', 'utf8')

  test.each(Object.entries(DeploymentSettings.entries))('tells of %s in a sentence', (name, schema) => {
    const sentence = v.getDescription(schema)
    expect(sentence).toMatch(/^[A-Z`].{20,}\.$/)
    expect(guide).toContain(`| \`${name}\` | ${sentence} |`)
  })
})

test('the template takes nothing from the environment that is no setting', () => {
  const files = ['serverless.yml', ...globSync('infra/*.yml')]
  const taken = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:env|setting):([A-Z_]+)/g)].map(([, name]) => name),
  )
  const known = [...Object.keys(DeploymentSettings.entries), 'AWS_DEFAULT_REGION', 'AWS_REGION']
  expect(taken.filter((name) => !known.includes(String(name)))).toEqual([])
  expect(taken.length).toBeGreaterThan(5)
})

test('a deployment is checked for them, and not what lists or deploys a part of it', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('LOG_LEVEL', 'loud')
  const begin = async (...commands: string[]) => {
    const provider = { stage: 'prod', region: 'eu-central-1', architecture: 'arm64' }
    const service = { functions: {}, provider, custom: {}, resources: { Resources: {} } }
    const getProvider = () => ({ naming: { getStackName: () => 'agent-prod' } })
    const serverless = Object({ service, getProvider, processedInput: { commands }, classes: { Error } })
    await new DeploymentPlugin(serverless, {}, Object({ log: {} })).hooks.initialize?.()
  }
  await expect(begin('deploy')).rejects.toThrow('LOG_LEVEL')
  await begin('deploy', 'list')
})
