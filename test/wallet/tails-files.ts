/** The tails files by which a wallet proves that its credentials are not revoked. It trusts the issuers it took them from, and shares no code with the agent. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TailsFileService } from '@credo-ts/anoncreds'
import { type AgentContext, TypedArrayEncoder } from '@credo-ts/core'

const folderOfItsOwn = () => mkdtemp(join(tmpdir(), 'wallet-tails-'))

type Wanted = Parameters<TailsFileService['getTailsFile']>[1]

export class WalletTailsFiles implements TailsFileService {
  #folder: Promise<string> | undefined
  readonly #paths = new Map<string, Promise<string>>()

  getTailsBasePath(): string {
    return tmpdir()
  }

  async uploadTailsFile(): Promise<never> {
    throw new Error('a wallet publishes nothing')
  }

  /** Once for each hash, however many callers ask. */
  async getTailsFile(_: AgentContext, { revocationRegistryDefinition }: Wanted): Promise<{ tailsFilePath: string }> {
    const { tailsHash, tailsLocation } = revocationRegistryDefinition.value
    const known = this.#paths.get(tailsHash) ?? this.#fetch(tailsHash, tailsLocation)
    this.#paths.set(tailsHash, known)
    known.catch(() => this.#paths.delete(tailsHash))
    return { tailsFilePath: await known }
  }

  /** Removes what it fetched. */
  async dispose(): Promise<void> {
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true })
  }

  async #fetch(tailsHash: string, url: string): Promise<string> {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${response.status} at ${url}`)
    const content = new Uint8Array(await response.arrayBuffer())
    const hash = createHash('sha256').update(content).digest()
    if (TypedArrayEncoder.toBase58(hash) !== tailsHash) throw new Error(`the file at ${url} has another hash`)
    this.#folder ??= folderOfItsOwn()
    const path = join(await this.#folder, tailsHash)
    await writeFile(path, content)
    return path
  }
}
