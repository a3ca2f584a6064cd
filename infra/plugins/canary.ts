/**
 * Serverless plugin: a stage with CANARY_PERCENT moves to new versions of its functions in two updates of its stack.
 * The first gives them a share, and CloudFormation takes it back when an alarm goes off within CANARY_MINUTES; the
 * second gives them everything. Where roles lose a right, a third takes it, once no invocation goes to the old
 * versions. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-rollback-triggers.html
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ALIAS, addAliases, addCanaryAlarm, aliasIdOf, CANARY_ALARM, canaryTemplate } from '../canary/aliases.ts'
import { canaryOf } from '../canary/settings.ts'
import type { DeployingServerless } from '../deployment/serverless.ts'
import { type FunctionDefinition, type Template, withServerlessErrors } from '../service.ts'

/** The methods of Serverless's own plugin for deployments, which use the service's template. */
interface AwsDeploy {
  uploadCloudFormationFile(): Promise<void>
  updateStack(): Promise<void>
}

interface Log {
  notice(line: string): void
}

export default class CanaryPlugin {
  readonly hooks: Record<string, () => Promise<void> | void>
  readonly #serverless: DeployingServerless
  readonly #log: Log
  /** The templates of the updates that follow the canary. */
  #rest: Template[] = []

  constructor(serverless: DeployingServerless, _options: unknown, { log }: { log: Log }) {
    this.#serverless = serverless
    this.#log = log
    this.hooks = {
      initialize: () => {
        if (['deploy', 'package'].includes(serverless.processedInput.commands[0] ?? '')) void this.#canary
      },
      'before:package:compileEvents': () => this.#targetAliases(),
      'after:package:compileEvents': () => this.#forgetAliases(),
      // After every other change of the functions' configuration.
      'before:aws:package:finalize:saveServiceState': () => this.#addAliases(),
      'after:aws:deploy:deploy:checkForChanges': () => this.#begin(),
      'after:aws:deploy:deploy:updateStack': () => this.#complete(),
    }
  }

  get #canary() {
    return withServerlessErrors(this.#serverless, () => canaryOf(process.env))
  }

  /** Functions on a schedule have no alias: they run too seldom for a share of their invocations to show anything. */
  get #functions(): [functionId: string, definition: FunctionDefinition][] {
    const { naming } = this.#serverless.getProvider('aws')
    return Object.entries(this.#serverless.service.functions)
      .filter(([, { events = [] }]) => !events.some(({ schedule }) => schedule !== undefined))
      .map(([key, definition]) => [naming.getLambdaLogicalId(key), definition])
  }

  /** Names of the functions by the logical ids of their aliases. */
  get #functionNames(): Map<string, string> {
    return new Map(this.#functions.map(([functionId, { name }]) => [aliasIdOf(functionId), name]))
  }

  #targetAliases(): void {
    if (this.#canary === undefined) return
    for (const [functionId, definition] of this.#functions)
      definition.targetAlias = { name: ALIAS, logicalId: aliasIdOf(functionId) }
  }

  #forgetAliases(): void {
    for (const [, definition] of this.#functions) delete definition.targetAlias
  }

  async #addAliases(): Promise<void> {
    if (this.#canary === undefined) return
    const { service, serviceDir } = this.#serverless
    const template = service.provider.compiledCloudFormationTemplate
    const hashes = await Promise.all(
      this.#functions.map(async ([functionId, definition]) => {
        const zip = await readFile(resolve(serviceDir, definition.package?.artifact ?? ''))
        return [functionId, createHash('sha256').update(zip).digest('base64')] as const
      }),
    )
    addAliases(template, new Map(hashes))
    addCanaryAlarm(template, service.custom.canaryAlarms, `${service.service}-${service.provider.stage}-canary`)
  }

  async #begin(): Promise<void> {
    const { provider } = this.#serverless.service
    const canary = this.#canary
    // The triggers of an earlier update would stay.
    // https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_RollbackConfiguration.html
    provider.rollbackConfiguration = { RollbackTriggers: [], MonitoringTimeInMinutes: 0 }
    if (canary === undefined || provider.shouldNotDeploy) return
    const { readVersions } = await import('../canary/deployed.ts')
    const aws = this.#serverless.getProvider('aws')
    const stack = await readVersions(await aws.getAwsSdkV3Config(), aws.naming.getStackName(), this.#functionNames)
    const final = provider.compiledCloudFormationTemplate
    const first = canaryTemplate(final, stack.ids, stack.versions, canary.percent)
    if (first === undefined) return
    const { withOldRights } = await import('../canary/rights.ts')
    const widened = withOldRights(final, stack.template)
    this.#rest = widened === undefined ? [final] : [widened, final]
    provider.compiledCloudFormationTemplate = withOldRights(first, stack.template) ?? first
    if (stack.ids.has(CANARY_ALARM)) {
      const { accountId, partition } = await aws.getAccountInfo()
      const name = final.Resources[CANARY_ALARM]?.Properties.AlarmName
      provider.rollbackConfiguration = {
        RollbackTriggers: [
          {
            Arn: `arn:${partition}:cloudwatch:${provider.region}:${accountId}:alarm:${name}`,
            Type: 'AWS::CloudWatch::CompositeAlarm',
          },
        ],
        MonitoringTimeInMinutes: canary.minutes,
      }
    }
    this.#log.notice(
      `New versions of functions get ${canary.percent} % of their invocations for ${canary.minutes} minutes`,
    )
  }

  async #complete(): Promise<void> {
    const { provider } = this.#serverless.service
    if (this.#rest.length > 0) {
      provider.rollbackConfiguration = { RollbackTriggers: [], MonitoringTimeInMinutes: 0 }
      this.#log.notice('They did well: they get all')
    }
    for (const template of this.#rest) {
      provider.compiledCloudFormationTemplate = template
      const deploy = this.#deploy
      await deploy.uploadCloudFormationFile()
      await deploy.updateStack()
    }
    if (this.#canary === undefined || provider.shouldNotDeploy) return
    const { deleteOldVersions } = await import('../canary/deployed.ts')
    const config = await this.#serverless.getProvider('aws').getAwsSdkV3Config()
    await deleteOldVersions(config, this.#functionNames.values())
  }

  get #deploy(): AwsDeploy {
    const isDeploy = (plugin: object): plugin is AwsDeploy =>
      'uploadCloudFormationFile' in plugin && 'updateStack' in plugin
    const deploy = this.#serverless.pluginManager.plugins.find(isDeploy)
    if (deploy === undefined) throw new Error('Serverless has no plugin that deploys')
    return deploy
  }
}
