/**
 * Serverless plugin: checks a deployment before anything is created (`serverless check`, and at the start of `deploy`),
 * and fits it to the account.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Account } from '../deployment/account.ts'
import { errorLine } from '../deployment/aws-error.ts'
import { anonCredsPlan } from '../deployment/checks/anoncreds.ts'
import { CHECK as TABLE_AND_KEY } from '../deployment/checks/data.ts'
import type { Plan } from '../deployment/checks.ts'
import { type Finding, fault, faultsMessage, faultsOf, onceEach, toLine } from '../deployment/finding.ts'
import type { ClientConfig, DeployingServerless } from '../deployment/serverless.ts'
import { addressOf } from '../gateway/address.ts'
import type { Template } from '../service.ts'
import { withoutEmpty } from '../settings.ts'
import { NAMES } from './packed-settings.ts'

interface Options {
  json?: boolean
  /** Deploys even if Serverless sees no change. */
  force?: boolean
  /** After a failure, waits for the end of the rollback. */
  verbose?: boolean
}

interface Log {
  notice(line: string): void
  warning(line: string): void
  info(line: string): void
}

/** An empty zip: doctor only looks at the template, and bundling takes a second for each function. */
const EMPTY_ZIP = Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex')

export default class Deployment {
  readonly commands = {
    // Not `doctor`: Serverless has a command of that name, without a stage.
    check: {
      usage: 'Check everything that is known before anything is made',
      lifecycleEvents: ['run'],
      options: {
        json: { usage: 'Write what was found as JSON', type: 'boolean' },
        // Serverless defines these two for its own commands only.
        stage: { usage: 'Stage that is to be deployed', shortcut: 's', type: 'string' },
        region: { usage: 'Region that it is to be deployed to', shortcut: 'r', type: 'string' },
      },
    },
  }
  readonly hooks: Record<string, () => Promise<void> | void>
  readonly #serverless: DeployingServerless
  readonly #options: Options
  readonly #log: Log
  #account: Promise<Account> | undefined

  constructor(serverless: DeployingServerless, options: Options, { log }: { log: Log }) {
    this.#serverless = serverless
    this.#options = options
    this.#log = log
    this.hooks = {
      // The next try would be refused until the rollback has ended.
      initialize: () => {
        options.verbose = true
      },
      'check:run': () => this.#check(),
      'before:package:cleanup': () => this.#checkAccount(),
      'after:aws:package:finalize:mergeCustomProviderResources': () => this.#fitTemplate(),
      'before:aws:deploy:deploy:createStack': () => this.#checkPackaged(),
    }
  }

  get #command(): string {
    return this.#serverless.processedInput.commands.join(' ')
  }

  get #plan(): Plan {
    const { service } = this.#serverless
    const events = Object.values(service.functions).flatMap((definition) => definition.events ?? [])
    const indexes = service.resources.Resources.Table?.Properties.GlobalSecondaryIndexes
    return {
      stage: service.provider.stage,
      region: service.provider.region,
      stackName: this.#serverless.getProvider('aws').naming.getStackName(),
      publicUrl: this.#publicUrl,
      environment: process.env,
      paths: events.flatMap(({ http }) => http?.path ?? []),
      functionNames: Object.values(service.functions).map(({ name }) => name),
      anonCreds: anonCredsPlan(service.provider.architecture),
      indexes: Array.isArray(indexes) ? indexes.map(({ IndexName }) => String(IndexName)) : [],
    }
  }

  /** Undefined: the settings are wrong, which is reported elsewhere. */
  get #publicUrl(): unknown {
    const { custom, provider } = this.#serverless.service
    try {
      return addressOf(process.env, provider.stage, provider.region).publicUrl ?? custom.stageUrl
    } catch {
      return undefined
    }
  }

  get #template(): Template {
    return this.#serverless.service.provider.compiledCloudFormationTemplate
  }

  /** The functions' environments as they will be, so that a setting that is too long is found before bundling. */
  get #environments(): Template['Resources'] {
    const { functions, provider } = this.#serverless.service
    const resources = Object.entries(functions).map(([key, { environment }]) => {
      const packed: readonly string[] = NAMES
      const Variables = Object.fromEntries(
        Object.entries({ ...provider.environment, ...environment }).filter(([name]) => !packed.includes(name)),
      )
      return [key, { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } }]
    })
    return Object.fromEntries(resources)
  }

  #checkAccount = async (): Promise<void> => {
    if (this.#command !== 'deploy') return
    const [{ checkAccount }, { checkEnvironments }] = await Promise.all([
      import('../deployment/checks.ts'),
      import('../deployment/checks/template.ts'),
    ])
    const account = await this.#readAccount()
    const settled = checkEnvironments({ Resources: this.#environments, Outputs: {} }, this.#plan.region)
    this.#report([...checkAccount(account, this.#plan), ...settled])
    // For infra/plugins/watch.ts.
    if ('value' in account.lambda) this.#serverless.service.custom.accountConcurrency = account.lambda.value.concurrency
  }

  #checkPackaged = async (): Promise<void> => {
    const { checkAccount, checkPackaged } = await import('../deployment/checks.ts')
    const wasTold = this.#account !== undefined
    const account = await this.#readAccount()
    if (!wasTold) this.#report(checkAccount(account, this.#plan))
    this.#report(checkPackaged(account, this.#plan, this.#template))
    const { gateway, stack } = account
    // Serverless compares with the last upload, which after a rollback is not what is deployed.
    if ('value' in stack && stack.value?.status === 'UPDATE_ROLLBACK_COMPLETE') this.#options.force = true
    if ('value' in gateway && gateway.value.cloudWatchRole === undefined) await this.#setCloudWatchRole()
  }

  #setCloudWatchRole = async (): Promise<void> => {
    const [{ setCloudWatchRole }, { APIGatewayClient }, { IAMClient }] = await Promise.all([
      import('../deployment/cloudwatch-role.ts'),
      import('@aws-sdk/client-api-gateway'),
      import('@aws-sdk/client-iam'),
    ])
    const config = await this.#config()
    const arn = await setCloudWatchRole(new APIGatewayClient(config), new IAMClient(config)).catch((error) => {
      throw new this.#serverless.classes.Error(
        `CloudWatch role of API Gateway: it can't be made and set; see that iam:CreateRole, iam:PutRolePolicy, iam:PassRole and apigateway:PATCH are allowed (${errorLine(error)})`,
      )
    })
    this.#log.notice(`API Gateway of this account writes its logs as ${arn} from now on`)
  }

  /** Fits the template to the account and the settings, after all other plugins. */
  #fitTemplate = async (): Promise<void> => {
    const { fitTemplate } = await import('../deployment/fit-template.ts')
    // Packaging alone asks AWS only if it uses an existing table.
    const asks =
      this.#command === 'deploy' || this.#command === 'check' || withoutEmpty(process.env).EXISTING_TABLE !== undefined
    const account = asks ? await this.#readAccount() : undefined
    fitTemplate(this.#template, process.env, account)
  }

  #check = async (): Promise<void> => {
    const findings = await this.#examine()
    if (this.#options.json) {
      process.stdout.write(`${JSON.stringify({ ok: faultsOf(findings).length === 0, findings }, null, 2)}\n`)
    } else {
      process.stdout.write(findings.map((finding) => `${toLine(finding)}\n`).join(''))
    }
    if (faultsOf(findings).length > 0) process.exitCode = 1
  }

  #examine = async (): Promise<Finding[]> => {
    const { checkAccount, checkPackaged, checkPlan } = await import('../deployment/checks.ts')
    const ofPlan = checkPlan(this.#plan)
    const account = await this.#readAccount()
    const ofAccount = checkAccount(account, this.#plan)
    const findings = [...ofPlan, ...ofAccount]
    const ofTemplate: Finding[] = []
    try {
      await this.#packageTemplate()
      ofTemplate.push(...checkPackaged(account, this.#plan, this.#template))
    } catch (error) {
      // Wrong settings or a wrong table may be the reason, and are reported already.
      const isKnown = faultsOf([...ofPlan, ...ofAccount.filter(({ check }) => check === TABLE_AND_KEY)]).length > 0
      if (!isKnown) ofTemplate.push(fault('template', `it can't be made: ${errorLine(error)}`))
    }
    const ofStage = await this.#examineDeployed(account)
    return onceEach([...findings, ...ofStage, ...(this.#serverless.service.custom.issuerFindings ?? []), ...ofTemplate])
  }

  #examineDeployed = async ({ stack }: Account): Promise<Finding[]> => {
    if ('failure' in stack || stack.value === undefined) return []
    const { examineDeployed } = await import('../deployment/deployed.ts')
    const { stackName } = this.#plan
    const isProtected = process.env.DELETION_PROTECTION !== 'false'
    return examineDeployed(await this.#config(), { stackName, stack: stack.value, isProtected })
  }

  #packageTemplate = async (): Promise<void> => {
    const { service, serviceDir } = this.#serverless
    const folder = await mkdtemp(join(tmpdir(), 'serverless-agent-doctor-'))
    try {
      const zip = join(folder, 'empty.zip')
      await writeFile(zip, EMPTY_ZIP)
      // Relative to the service's folder, as Serverless expects.
      const artifact = relative(serviceDir, zip)
      for (const definition of Object.values(service.functions))
        definition.package = { ...definition.package, artifact }
      await this.#serverless.pluginManager.spawn('package')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  #config = (): Promise<ClientConfig> => this.#serverless.getProvider('aws').getAwsSdkV3Config()

  #readAccount = (): Promise<Account> => {
    this.#account ??= this.#ask()
    return this.#account
  }

  #ask = async (): Promise<Account> => {
    const [{ readAccount }, { newDomainOf }] = await Promise.all([
      import('../deployment/account.ts'),
      import('../deployment/address-on-aws.ts'),
    ])
    const config = await this.#config()
    const domain = newDomainOf(process.env, config.region)
    const { EXISTING_TABLE: table, EXISTING_KEY: key } = withoutEmpty(process.env)
    const existing = table !== undefined && key !== undefined ? { table, key } : undefined
    return readAccount(config, { stackName: this.#plan.stackName, existing, domain })
  }

  /** Reports warnings; with --verbose also what is ok. Throws if there is a fault. */
  #report = (findings: Finding[]): void => {
    for (const finding of findings)
      if (finding.status === 'ok') this.#log.info(toLine(finding))
      else if (finding.status === 'warning') this.#log.warning(`${finding.check}: ${finding.message}`)
    const faults = faultsMessage(findings)
    if (faults !== undefined) throw new this.#serverless.classes.Error(faults)
  }
}
