/** Serverless plugin: the API's deployment waits for the gateway responses, and is shown by the stage of infra/stage.yml. */
import type { Resource, Serverless } from '../service.ts'

export default class Gateway {
  readonly hooks: Record<string, () => void>

  constructor({ service }: Serverless) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () =>
        tieDeployment(service.provider.compiledCloudFormationTemplate.Resources),
    }
  }
}

/**
 * A deployment is a snapshot: without the dependency the first one may be taken before the gateway responses exist, and serve API Gateway's
 * own bodies. Serverless has the deployment make the stage by name, which leaves no place to say the stage's limits.
 */
export const tieDeployment = (resources: Record<string, Resource>): void => {
  const idsOf = (type: string) =>
    Object.keys(resources).filter((id) => resources[id]?.Type === `AWS::ApiGateway::${type}`)
  const [deploymentId] = idsOf('Deployment')
  const [stageId] = idsOf('Stage')
  const deployment = deploymentId === undefined ? undefined : resources[deploymentId]
  const stage = stageId === undefined ? undefined : resources[stageId]
  if (deployment === undefined || stage === undefined) throw new Error('The API has no deployment or no stage')

  deployment.DependsOn = [...(deployment.DependsOn ?? []), ...idsOf('GatewayResponse')]
  delete deployment.Properties.StageName
  stage.Properties.DeploymentId = { Ref: deploymentId }
}
