/** Wake-ups, and the queues that take them. */
export {
  type CommittedItem,
  sqs,
  wakeCommitted,
  wakeDestinations,
  wakeJobLater,
  wakeJobs,
  wakeJobsNow,
  wakeLanes,
  wakeLater,
  wakeNow,
} from './queues.ts'
export {
  type Bulkhead,
  committedId,
  type DestinationWakeUp,
  decodeJobWakeUp,
  decodeWakeUp,
  type FirstItem,
  isForLane,
  jobGroupOf,
  type LaneWakeUp,
  type WakeUp,
} from './wake-up.ts'
