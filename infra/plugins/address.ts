/** Serverless plugin: checks that a stage has a permanent address, and adds a domain if the settings have one. */
import { type Address, addressOf } from '../gateway/address.ts'
import { type Serverless, type Template, withServerlessErrors } from '../service.ts'

const DOMAIN = ['ApiDomain', 'ApiDomainMapping', 'ApiDomainRecord']

export default class StageAddress {
  readonly hooks: Record<string, () => void>

  constructor(serverless: Serverless) {
    const { provider, custom } = serverless.service
    const address = () =>
      withServerlessErrors(serverless, () => addressOf(process.env, provider.stage, provider.region))
    this.hooks = {
      initialize: () => {
        if (!['deploy', 'package'].includes(serverless.processedInput.commands[0] ?? '')) return
        provider.environment.PUBLIC_URL = address().publicUrl ?? custom.stageUrl
      },
      'after:aws:package:finalize:mergeCustomProviderResources': () =>
        arrangeDomain(provider.compiledCloudFormationTemplate, address()),
    }
  }
}

/** Removes the resources of infra/domain.yml that the address does not need. */
export const arrangeDomain = ({ Resources, Outputs }: Template, address: Address): void => {
  if (!address.makesDomain) delete Outputs.DomainTarget
  const unwanted = address.makesDomain ? (address.makesRecord ? [] : ['ApiDomainRecord']) : DOMAIN
  for (const id of unwanted) delete Resources[id]
  for (const id of DOMAIN) {
    const resource = Resources[id]
    if (resource === undefined) continue
    // API Gateway has no empty base path.
    if (resource.Properties.BasePath === '') delete resource.Properties.BasePath
    if (address.keepsDomain) Object.assign(resource, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
  }
}
