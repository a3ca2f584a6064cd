/** The address of a stage out of its settings, and the domain that is made for it. */
import { describe, expect, test } from 'vitest'
import { addressOf } from '../../../infra/gateway/address.ts'
import { arrangeDomain } from '../../../infra/plugins/address.ts'

const REGION = 'eu-central-1'
const CERTIFICATE_ARN = `arn:aws:acm:${REGION}:123456789012:certificate/0b1c2d3e`
const DOMAIN_NAME = 'agent.example.org'

const of = (environment: NodeJS.ProcessEnv, stage = 'prod') => addressOf(environment, stage, REGION)

describe('the address that wallets keep', () => {
  test.each([{}, { PUBLIC_URL: '' }])('must be set outside dev: %j', (environment) => {
    expect(() => of(environment)).toThrow(/^PUBLIC_URL: is not set/)
    expect(of(environment, 'dev').publicUrl).toBeUndefined()
  })

  test('must be https outside dev', () => {
    expect(() => of({ PUBLIC_URL: 'http://agent.example.org' })).toThrow(/^PUBLIC_URL: must be https/)
    expect(of({ PUBLIC_URL: 'http://localhost:3000' }, 'dev').publicUrl).toBe('http://localhost:3000')
    expect(of({ PUBLIC_URL: 'https://agent.example.org' }).publicUrl).toBe('https://agent.example.org')
  })

  test('follows from the domain, with its base path', () => {
    expect(of({ DOMAIN_NAME, CERTIFICATE_ARN }).publicUrl).toBe('https://agent.example.org')
    expect(of({ DOMAIN_NAME, BASE_PATH: 'v1' }).publicUrl).toBe('https://agent.example.org/v1')
  })

  test('is what is set, also beside a domain', () => {
    expect(of({ DOMAIN_NAME, PUBLIC_URL: 'https://example.org/agent' }).publicUrl).toBe('https://example.org/agent')
  })
})

test.each([
  [{ PUBLIC_URL: 'agent.example.org' }, /^PUBLIC_URL: is not a URL$/],
  [{ PUBLIC_URL: 'https://agent.example.org/' }, /^PUBLIC_URL: ends with a slash$/],
  [{ PUBLIC_URL: 'https://agent.example.org/x?y=1' }, /^PUBLIC_URL: has a query, a fragment or credentials$/],
  [{ PUBLIC_URL: 'https://agent.example.org#x' }, /^PUBLIC_URL: has a query, a fragment or credentials$/],
  [{ PUBLIC_URL: 'https://me:secret@agent.example.org' }, /^PUBLIC_URL: has a query, a fragment or credentials$/],
  [{ DOMAIN_NAME: 'https://agent.example.org' }, /^DOMAIN_NAME: is not a domain name/],
  [{ DOMAIN_NAME: 'agent' }, /^DOMAIN_NAME: is not a domain name/],
  [{ DOMAIN_NAME, CERTIFICATE_ARN: 'certificate' }, /^CERTIFICATE_ARN: is not an ARN/],
  [
    { DOMAIN_NAME, CERTIFICATE_ARN: CERTIFICATE_ARN.replace(REGION, 'us-east-1') },
    /^CERTIFICATE_ARN: a certificate must be in eu-central-1$/,
  ],
  [{ DOMAIN_NAME, CERTIFICATE_ARN, HOSTED_ZONE_ID: '/hostedzone/Z1' }, /^HOSTED_ZONE_ID: is not an id/],
  [{ DOMAIN_NAME, BASE_PATH: 'a/b' }, /^BASE_PATH: is not one part of a path$/],
  [{ DOMAIN_NAME, KEEP_DOMAIN: 'yes' }, /^KEEP_DOMAIN: is neither true nor false$/],
  [{ CERTIFICATE_ARN }, /^CERTIFICATE_ARN: has no meaning without DOMAIN_NAME$/],
  [{ BASE_PATH: 'v1' }, /^BASE_PATH: has no meaning without DOMAIN_NAME$/],
  [{ DOMAIN_NAME, HOSTED_ZONE_ID: 'Z1' }, /^HOSTED_ZONE_ID: has no meaning without CERTIFICATE_ARN$/],
])('the setting that is wrong is named: %j', (environment, problem) => {
  expect(() => of(environment)).toThrow(problem)
})

describe('of the domain, the stack makes', () => {
  const template = (environment: NodeJS.ProcessEnv) => {
    const resource = (Properties: Record<string, unknown>) => ({ Type: 'Type', Properties })
    const made = {
      Resources: {
        ApiDomain: resource({}),
        ApiDomainMapping: resource({ BasePath: environment.BASE_PATH ?? '' }),
        ApiDomainRecord: resource({}),
        Table: resource({}),
      },
      Outputs: { DomainTarget: { Value: '' } },
    }
    arrangeDomain(made, of({ PUBLIC_URL: 'https://agent.example.org', ...environment }))
    return made
  }

  test.each([{}, { DOMAIN_NAME }])('nothing without a certificate: %j', (environment) => {
    const { Resources, Outputs } = template(environment)
    expect(Object.keys(Resources)).toEqual(['Table'])
    expect(Outputs).toEqual({})
  })

  test('all but the record without a hosted zone, and says where to point the record', () => {
    const { Resources, Outputs } = template({ DOMAIN_NAME, CERTIFICATE_ARN })
    expect(Object.keys(Resources)).toEqual(['ApiDomain', 'ApiDomainMapping', 'Table'])
    expect(Outputs).toHaveProperty('DomainTarget')
  })

  test('all of it with one', () => {
    const { Resources } = template({ DOMAIN_NAME, CERTIFICATE_ARN, HOSTED_ZONE_ID: 'Z1' })
    expect(Object.keys(Resources)).toEqual(['ApiDomain', 'ApiDomainMapping', 'ApiDomainRecord', 'Table'])
  })

  test('a mapping of the base path, or of all paths', () => {
    const mappingOf = (environment: NodeJS.ProcessEnv) =>
      template({ DOMAIN_NAME, CERTIFICATE_ARN, ...environment }).Resources.ApiDomainMapping.Properties
    expect(mappingOf({ BASE_PATH: 'v1' })).toEqual({ BasePath: 'v1' })
    expect(mappingOf({})).toEqual({})
  })

  test('only the domain stays when it leaves the stack, if a setting says so', () => {
    const { Resources } = template({ DOMAIN_NAME, CERTIFICATE_ARN, KEEP_DOMAIN: 'true' })
    const stays = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }
    expect(Resources.ApiDomain).toMatchObject(stays)
    expect(Resources.ApiDomainMapping).toMatchObject(stays)
    expect(Resources.Table).not.toHaveProperty('DeletionPolicy')
    for (const KEEP_DOMAIN of ['', 'false'])
      expect(template({ DOMAIN_NAME, CERTIFICATE_ARN, KEEP_DOMAIN }).Resources.ApiDomain).not.toHaveProperty(
        'DeletionPolicy',
      )
  })
})
