/**
 * The steps of a deployment in addition to those of Serverless; infra/plugins/deployment.ts hooks them in. AWS's
 * clients are loaded on demand.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { PackedSettings } from '../../lib/settings.ts'
import { addressOf } from '../gateway/address.ts'
import type { ClientConfig, Serverless, Template } from '../service.ts'
import { withoutEmpty } from '../settings.ts'
import type { Account } from './account.ts'
import { errorLine } from './aws-error.ts'
import { anonCredsPlan } from './checks/anoncreds.ts'
import { CHECK as TABLE_AND_KEY } from './checks/data.ts'
import { checkEnvironments } from './checks/template.ts'
import { checkAccount, checkPackaged, checkPlan, type Plan } from './checks.ts'
import { type Finding, faultsMessage, faultsOf, findingsOf, onceEach, toLine } from './finding.ts'
import { fitTemplate } from './fit-template.ts'
import { KEY_OUTPUT, TABLE_OUTPUT } from './template.ts'

export interface Options {
  json?: boolean
  /** Deploys even if Serverless sees no change. */
  force?: boolean
  /** After a failure, waits for the end of the rollback. */
  verbose?: boolean
}

export interface Log {
  notice(line: string): void
  warning(line: string): void
  info(line: string): void
}

/** An empty zip: doctor only looks at the template, and bundling takes a second for each function. */
const EMPTY_ZIP = Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex')

export class Deployment {
  readonly #serverless: Serverless
  readonly #options: Options
  readonly #log: Log
  #account: Promise<Account> | undefined
  /** Table and key of a stack that will be removed. */
  #outputs: Record<string, string> = {}

  constructor(serverless: Serverless, options: Options, log: Log) {
    this.#serverless = serverless
    this.#options = options
    this.#log = log
  }

  /** Reports all invalid settings. Does not need AWS. */
  checkPlan(): void {
    const faults = faultsMessage(checkPlan(this.#plan))
    if (faults !== undefined) throw new this.#serverless.classes.Error(faults)
  }

  async checkAccount(): Promise<void> {
    const account = await this.#readAccount()
    const settled = checkEnvironments({ Resources: this.#environments, Outputs: {} }, this.#plan.region)
    this.#report([...checkAccount(account, this.#plan), ...settled])
    // For infra/plugins/watch.ts.
    if ('value' in account.lambda) this.#serverless.service.custom.accountConcurrency = account.lambda.value.concurrency
  }

  /**
   * Adapts the template to the account and the settings. Packaging alone calls AWS only if it uses an existing table.
   */
  async fitTemplate(): Promise<void> {
    const asks =
      ['deploy', 'check'].includes(this.#serverless.processedInput.commands.join(' ')) ||
      withoutEmpty(process.env).EXISTING_TABLE !== undefined
    fitTemplate(this.#template, process.env, asks ? await this.#readAccount() : undefined)
  }

  async checkPackaged(): Promise<void> {
    const wasTold = this.#account !== undefined
    const account = await this.#readAccount()
    if (!wasTold) this.#report(checkAccount(account, this.#plan))
    this.#report(checkPackaged(account, this.#plan, this.#template))
    const { gateway, stack } = account
    // Serverless compares with the last upload, which is not deployed after a rollback.
    if ('value' in stack && stack.value?.status === 'UPDATE_ROLLBACK_COMPLETE') this.#options.force = true
    if ('value' in gateway && gateway.value.cloudWatchRole === undefined) await this.#setCloudWatchRole()
  }

  async finishTable(): Promise<void> {
    const { [TABLE_OUTPUT]: table } = await this.#readOutputs()
    if (table === undefined) return
    const { finishTable } = await import('./finish-table.ts')
    const notice = await finishTable(await this.#config(), table, isProtected()).catch((error) => {
      throw new this.#serverless.classes.Error(errorLine(error))
    })
    if (notice !== undefined) this.#log.notice(notice)
  }

  /** Before the stack is removed. If it cannot be read, the removal continues. */
  async readRemaining(): Promise<void> {
    try {
      this.#outputs = await this.#readOutputs()
    } catch (error) {
      this.#log.warning(`which table and key are kept could not be read from the stack (${errorLine(error)})`)
    }
  }

  printRemaining(): void {
    const { [TABLE_OUTPUT]: table, [KEY_OUTPUT]: key } = this.#outputs
    if (table === undefined || key === undefined) return
    this.#log.notice(`The table ${table} and the key ${key} are kept. A new stack uses them with`)
    this.#log.notice(`EXISTING_TABLE=${table} EXISTING_KEY=${key}`)
  }

  /** `serverless check`. */
  async check(): Promise<void> {
    const findings = await this.#examine()
    const faults = faultsOf(findings)
    process.stdout.write(
      this.#options.json
        ? `${JSON.stringify({ ok: faults.length === 0, findings }, null, 2)}\n`
        : findings.map((finding) => `${toLine(finding)}\n`).join(''),
    )
    if (faults.length > 0) process.exitCode = 1
  }

  get #plan(): Plan {
    const { service } = this.#serverless
    const events = Object.values(service.functions).flatMap((definition) => definition.events ?? [])
    const indexes = service.resources.Resources.Table?.Properties.GlobalSecondaryIndexes
    return {
      stage: service.provider.stage,
      region: service.provider.region,
      stackName: this.#stackName,
      publicUrl: this.#publicUrl,
      environment: process.env,
      paths: events.flatMap(({ http }) => http?.path ?? []),
      functionNames: Object.values(service.functions).map(({ name }) => name),
      anonCreds: anonCredsPlan(service.provider.architecture),
      indexes: Array.isArray(indexes) ? indexes.map(({ IndexName }) => String(IndexName)) : [],
    }
  }

  /** Undefined: the settings are invalid, which another check reports. */
  get #publicUrl(): unknown {
    const { custom, provider } = this.#serverless.service
    try {
      return addressOf(process.env, provider.stage, provider.region).publicUrl ?? custom.stageUrl
    } catch {
      return undefined
    }
  }

  get #stackName(): string {
    return this.#serverless.getProvider('aws').naming.getStackName()
  }

  get #template(): Template {
    return this.#serverless.service.provider.compiledCloudFormationTemplate
  }

  /** The functions' future environments, so that a setting that is too long is found before bundling. */
  get #environments(): Template['Resources'] {
    const { functions, provider } = this.#serverless.service
    const resources = Object.entries(functions).map(([key, { environment }]) => {
      const Variables = Object.fromEntries(
        Object.entries({ ...provider.environment, ...environment }).filter(
          ([name]) => !(name in PackedSettings.entries),
        ),
      )
      return [key, { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } }]
    })
    return Object.fromEntries(resources)
  }

  async #setCloudWatchRole(): Promise<void> {
    const [{ setCloudWatchRole }, { APIGatewayClient }, { IAMClient }] = await Promise.all([
      import('./cloudwatch-role.ts'),
      import('@aws-sdk/client-api-gateway'),
      import('@aws-sdk/client-iam'),
    ])
    const config = await this.#config()
    const arn = await setCloudWatchRole(new APIGatewayClient(config), new IAMClient(config)).catch((error) => {
      throw new this.#serverless.classes.Error(
        `CloudWatch role of API Gateway: it cannot be created and set; see that iam:CreateRole, iam:PutRolePolicy, iam:PassRole and apigateway:PATCH are allowed (${errorLine(error)})`,
      )
    })
    this.#log.notice(`API Gateway of this account writes its logs as ${arn} from now on`)
  }

  async #examine(): Promise<Finding[]> {
    const ofPlan = checkPlan(this.#plan)
    const account = await this.#readAccount()
    const ofAccount = checkAccount(account, this.#plan)
    const ofTemplate: Finding[] = []
    try {
      await this.#packageTemplate()
      ofTemplate.push(...checkPackaged(account, this.#plan, this.#template))
    } catch (error) {
      // Wrong settings or a wrong table may be the reason, and are reported already.
      const isKnown = faultsOf([...ofPlan, ...ofAccount.filter(({ check }) => check === TABLE_AND_KEY)]).length > 0
      if (!isKnown) ofTemplate.push(...findingsOf('template').fault(`it cannot be created: ${errorLine(error)}`))
    }
    const { issuerFindings = [] } = this.#serverless.service.custom
    return onceEach([
      ...ofPlan,
      ...ofAccount,
      ...(await this.#examineDeployed(account)),
      ...issuerFindings,
      ...ofTemplate,
    ])
  }

  async #examineDeployed({ stack }: Account): Promise<Finding[]> {
    if ('failure' in stack || stack.value === undefined) return []
    const { examineDeployed } = await import('./deployed.ts')
    const deployed = { stackName: this.#stackName, stack: stack.value, isProtected: isProtected() }
    return examineDeployed(await this.#config(), deployed)
  }

  async #packageTemplate(): Promise<void> {
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

  #config(): Promise<ClientConfig> {
    return this.#serverless.getProvider('aws').getAwsSdkV3Config()
  }

  #readAccount(): Promise<Account> {
    this.#account ??= this.#askAccount()
    return this.#account
  }

  async #askAccount(): Promise<Account> {
    const [{ readAccount }, { newDomainOf }] = await Promise.all([
      import('./account.ts'),
      import('./address-on-aws.ts'),
    ])
    const config = await this.#config()
    const domain = newDomainOf(process.env, config.region)
    const { EXISTING_TABLE: table, EXISTING_KEY: key } = withoutEmpty(process.env)
    const existing = table !== undefined && key !== undefined ? { table, key } : undefined
    return readAccount(config, { stackName: this.#stackName, existing, domain })
  }

  /** None if there is no stack. */
  async #readOutputs(): Promise<Record<string, string>> {
    const [{ describeStack }, { CloudFormationClient }] = await Promise.all([
      import('./stack.ts'),
      import('@aws-sdk/client-cloudformation'),
    ])
    const stack = await describeStack(new CloudFormationClient(await this.#config()), this.#stackName)
    return stack?.outputs ?? {}
  }

  /** Reports warnings; with --verbose also what is ok. Throws if there is a fault. */
  #report(findings: Finding[]): void {
    for (const finding of findings)
      if (finding.status === 'ok') this.#log.info(toLine(finding))
      else if (finding.status === 'warning') this.#log.warning(`${finding.check}: ${finding.message}`)
    const faults = faultsMessage(findings)
    if (faults !== undefined) throw new this.#serverless.classes.Error(faults)
  }
}

const isProtected = (): boolean => process.env.DELETION_PROTECTION !== 'false'
