/** The service as it is packaged: once for all tests of the deployment, since that takes seconds. */
import { packageService } from '../../../support/stage/template.ts'

export const { functions, resources, timeout: defaultTimeout } = await packageService()
