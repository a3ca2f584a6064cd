/** Credo's service of tails files. */
import type { TailsFileService } from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import { TAILS_FOLDER, tailsFileOf } from './read-tails-file.ts'

type Options = Parameters<TailsFileService['getTailsFile']>[1]

export class TailsFiles implements TailsFileService {
  getTailsBasePath(): string {
    return TAILS_FOLDER
  }

  /** Not used: this agent publishes tails files with their registry. */
  async uploadTailsFile(): Promise<never> {
    throw new CredoError('tails files are published with their registry')
  }

  async getTailsFile(_: AgentContext, { revocationRegistryDefinition }: Options): Promise<{ tailsFilePath: string }> {
    return { tailsFilePath: await tailsFileOf(revocationRegistryDefinition) }
  }
}
