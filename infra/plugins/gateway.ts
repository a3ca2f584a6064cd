/**
 * Serverless plugin: the API is one resource, made of the functions' `http` events as an OpenAPI document
 * (docs/adr/0018).
 */
import { type GatewayDocument, gatewayDocument } from '../gateway/document.ts'
import { idOf, invocationPolicies } from '../gateway/invocations.ts'
import { PLAN, rateKeyResources } from '../gateway/rate-keys.ts'
import type { FunctionDefinition, Resource, Serverless, Service } from '../service.ts'

/** Of infra/api.yml and infra/stage.yml. */
const API = 'ApiGatewayRestApi'
const ROLE = 'ApiRole'
const STAGE = 'ApiStage'
/** Of infra/firewall.yml. */
const FIREWALL = ['Firewall', 'FirewallOfApi']

export default class Gateway {
  readonly hooks: Record<string, () => void>

  constructor(serverless: Serverless) {
    const { service } = serverless
    let restoreHttpEvents = () => {}
    this.hooks = {
      // Serverless would create about seven resources for each event.
      'before:package:compileEvents': () => {
        restoreHttpEvents = removeHttpEvents(service.functions)
      },
      'after:package:compileEvents': () => restoreHttpEvents(),
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { naming } = serverless.getProvider('aws')
        addApi(service, (key) => naming.getLambdaLogicalId(key), process.env)
      },
    }
  }
}

/** Removes the `http` events from the functions; the returned function restores them. */
export const removeHttpEvents = (functions: Record<string, FunctionDefinition>): (() => void) => {
  const all = new Map(Object.values(functions).map((definition) => [definition, definition.events ?? []]))
  for (const [definition, events] of all) definition.events = events.filter(({ http }) => http === undefined)
  return () => {
    for (const [definition, events] of all) definition.events = events
  }
}

/**
 * Completes the API of infra/api.yml: its document, the permission to invoke its functions, and the stage's deployment.
 * It counts tenants, and has a firewall, which costs money even without calls, only if the settings have rates for
 * them.
 */
export const addApi = (
  service: Service,
  functionIdOf: (key: string) => string,
  { TENANT_RATE, ADDRESS_RATE }: NodeJS.ProcessEnv,
): void => {
  const { Resources } = service.provider.compiledCloudFormationTemplate
  const api = resourceOf(Resources, API)
  const usesKeys = Number(TENANT_RATE) > 0
  if (usesKeys) Object.assign(Resources, rateKeyResources(service.custom.rateKeyPrefix))
  else delete Resources[PLAN]
  if (!(Number(ADDRESS_RATE) > 0)) for (const id of FIREWALL) delete Resources[id]

  const document = gatewayDocument(
    service,
    { title: String(api.Properties.Name), usesKeys },
    {
      arnOf: (key) => arnOf(service.functions[key]?.name ?? key),
      credentials: { 'Fn::GetAtt': [ROLE, 'Arn'] },
    },
  )
  api.Properties.Body = document

  const invoked = invokedFunctions(service.functions).map((key) => ({
    arn: { 'Fn::GetAtt': [functionIdOf(key), 'Arn'] },
    name: service.functions[key]?.name ?? key,
  }))
  const policies = invocationPolicies(invoked, ROLE)
  Object.assign(Resources, policies)
  addDeployment(Resources, document, Object.keys(policies))
}

/** By name, because a reference could be circular: without PUBLIC_URL functions refer to the API for its address. */
const arnOf = (name: string): string =>
  `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${name}`

/** The functions of the routes, and their authorizers. */
const invokedFunctions = (functions: Record<string, FunctionDefinition>): string[] => {
  const events = Object.entries(functions).flatMap(([key, { events = [] }]) =>
    events.flatMap(({ http }) => (http === undefined ? [] : [{ key, authorizer: http.authorizer?.name }])),
  )
  return [...new Set(events.flatMap(({ key, authorizer = key }) => [key, authorizer]))]
}

/**
 * A deployment is a snapshot that never changes: another document is another deployment, and the same document the same
 * one. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-apigateway-deployment.html
 */
const addDeployment = (resources: Record<string, Resource>, document: GatewayDocument, DependsOn: string[]): void => {
  const deploymentId = `ApiDeployment${idOf(document)}`
  resources[deploymentId] = {
    Type: 'AWS::ApiGateway::Deployment',
    Properties: { RestApiId: { Ref: API } },
    // So that the first callers are answered.
    DependsOn,
  }
  resourceOf(resources, STAGE).Properties.DeploymentId = { Ref: deploymentId }
}

const resourceOf = (resources: Record<string, Resource>, id: string): Resource => {
  const resource = resources[id]
  if (resource === undefined) throw new Error(`The template has no ${id}`)
  return resource
}
