/**
 * Serverless plugin: writes the version of its layout to a new table and protects it after a deployment, and prints
 * after a removal which table and key are kept.
 */
import { errorLine } from '../deployment/aws-error.ts'
import type { ClientConfig, DeployingServerless } from '../deployment/serverless.ts'

interface Log {
  notice(line: string): void
  warning(line: string): void
}

export default class TableProtection {
  readonly hooks: Record<string, () => Promise<void> | void>
  readonly #serverless: DeployingServerless
  readonly #log: Log
  #remaining: { table: string | undefined; key: string | undefined } | undefined

  constructor(serverless: DeployingServerless, _options: unknown, { log }: { log: Log }) {
    this.#serverless = serverless
    this.#log = log
    this.hooks = {
      'after:deploy:deploy': () => this.#finishTable(),
      'before:remove:remove': () => this.#readRemaining(),
      'after:remove:remove': () => this.#printRemaining(),
    }
  }

  get #stackName(): string {
    return this.#serverless.getProvider('aws').naming.getStackName()
  }

  #config = (): Promise<ClientConfig> => this.#serverless.getProvider('aws').getAwsSdkV3Config()

  #finishTable = async (): Promise<void> => {
    const [{ protectTable }, { ensureLayout }, { describeStack }, { DynamoDBClient }, { CloudFormationClient }] =
      await Promise.all([
        import('../deployment/deletion-protection.ts'),
        import('../layout.ts'),
        import('../deployment/stack.ts'),
        import('@aws-sdk/client-dynamodb'),
        import('@aws-sdk/client-cloudformation'),
      ])
    const config = await this.#config()
    const stack = await describeStack(new CloudFormationClient(config), this.#stackName)
    const table = stack?.outputs.TableName
    if (table === undefined) return
    const dynamodb = new DynamoDBClient(config)
    const flaw = await ensureLayout(dynamodb, table)
    if (flaw !== undefined) throw new this.#serverless.classes.Error(`the table ${table} ${flaw}`)
    const isProtected = process.env.DELETION_PROTECTION !== 'false'
    if (await protectTable(dynamodb, table, isProtected))
      this.#log.notice(
        `The table ${table} is ${isProtected ? 'protected against deletion' : 'no longer protected against deletion'}`,
      )
  }

  /** Reads them before the stack is removed. If that fails, the removal continues. */
  #readRemaining = async (): Promise<void> => {
    const [{ describeStack }, { CloudFormationClient }] = await Promise.all([
      import('../deployment/stack.ts'),
      import('@aws-sdk/client-cloudformation'),
    ])
    try {
      const stack = await describeStack(new CloudFormationClient(await this.#config()), this.#stackName)
      this.#remaining = { table: stack?.outputs.TableName, key: stack?.outputs.SealingKeyArn }
    } catch (error) {
      this.#log.warning(`which table and key are kept could not be read from the stack (${errorLine(error)})`)
    }
  }

  #printRemaining = (): void => {
    const { table, key } = this.#remaining ?? {}
    if (table === undefined || key === undefined) return
    this.#log.notice(`The table ${table} and the key ${key} are kept. A new stack uses them with`)
    this.#log.notice(`EXISTING_TABLE=${table} EXISTING_KEY=${key}`)
  }
}
