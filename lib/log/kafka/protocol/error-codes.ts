/**
 * Kafka's error codes, and what each asks of a client. Every code has a row: an error without an action would be a loop or
 * a lie (traps 14). Codes that a newer broker invents are `unavailable`: reported as they are, tried again by the caller.
 *
 * @see org.apache.kafka.common.protocol.Errors
 */

/**
 * `leader` ask for metadata again, then retry · `coordinator` find the coordinator again, then retry · `retry` back off, then
 * retry · `soon` retry within milliseconds, the broker is about to be ready · `unavailable` report as transient ·
 * `unknown-topic`, `other-topic` retry for as long as news of a topic travels, then report · `out-of-range`, `too-large`, `invalid-record`,
 * `fenced`, `exists` as they say · `transaction` the transaction is lost, initialise again · `refused` settings or rights
 * are wrong.
 */
export type ErrorAction =
  | 'leader'
  | 'coordinator'
  | 'retry'
  | 'soon'
  | 'unavailable'
  | 'unknown-topic'
  | 'other-topic'
  | 'out-of-range'
  | 'too-large'
  | 'invalid-record'
  | 'fenced'
  | 'exists'
  | 'transaction'
  | 'refused';

const CODES: readonly (readonly [code: number, name: string, action: ErrorAction])[] = [
  [-1, 'UNKNOWN_SERVER_ERROR', 'unavailable'],
  [1, 'OFFSET_OUT_OF_RANGE', 'out-of-range'],
  [2, 'CORRUPT_MESSAGE', 'retry'],
  [3, 'UNKNOWN_TOPIC_OR_PARTITION', 'unknown-topic'],
  [4, 'INVALID_FETCH_SIZE', 'refused'],
  [5, 'LEADER_NOT_AVAILABLE', 'leader'],
  [6, 'NOT_LEADER_OR_FOLLOWER', 'leader'],
  [7, 'REQUEST_TIMED_OUT', 'retry'],
  [8, 'BROKER_NOT_AVAILABLE', 'leader'],
  [9, 'REPLICA_NOT_AVAILABLE', 'leader'],
  [10, 'MESSAGE_TOO_LARGE', 'too-large'],
  [11, 'STALE_CONTROLLER_EPOCH', 'leader'],
  [12, 'OFFSET_METADATA_TOO_LARGE', 'too-large'],
  [13, 'NETWORK_EXCEPTION', 'retry'],
  [14, 'COORDINATOR_LOAD_IN_PROGRESS', 'coordinator'],
  [15, 'COORDINATOR_NOT_AVAILABLE', 'coordinator'],
  [16, 'NOT_COORDINATOR', 'coordinator'],
  [17, 'INVALID_TOPIC_EXCEPTION', 'refused'],
  [18, 'RECORD_LIST_TOO_LARGE', 'too-large'],
  [19, 'NOT_ENOUGH_REPLICAS', 'retry'],
  [20, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'retry'],
  [21, 'INVALID_REQUIRED_ACKS', 'refused'],
  [22, 'ILLEGAL_GENERATION', 'unavailable'],
  [23, 'INCONSISTENT_GROUP_PROTOCOL', 'unavailable'],
  [24, 'INVALID_GROUP_ID', 'refused'],
  [25, 'UNKNOWN_MEMBER_ID', 'unavailable'],
  [26, 'INVALID_SESSION_TIMEOUT', 'refused'],
  [27, 'REBALANCE_IN_PROGRESS', 'unavailable'],
  [28, 'INVALID_COMMIT_OFFSET_SIZE', 'too-large'],
  [29, 'TOPIC_AUTHORIZATION_FAILED', 'refused'],
  [30, 'GROUP_AUTHORIZATION_FAILED', 'refused'],
  [31, 'CLUSTER_AUTHORIZATION_FAILED', 'refused'],
  [32, 'INVALID_TIMESTAMP', 'invalid-record'],
  [33, 'UNSUPPORTED_SASL_MECHANISM', 'refused'],
  [34, 'ILLEGAL_SASL_STATE', 'unavailable'],
  [35, 'UNSUPPORTED_VERSION', 'refused'],
  [36, 'TOPIC_ALREADY_EXISTS', 'exists'],
  [37, 'INVALID_PARTITIONS', 'refused'],
  [38, 'INVALID_REPLICATION_FACTOR', 'refused'],
  [39, 'INVALID_REPLICA_ASSIGNMENT', 'refused'],
  [40, 'INVALID_CONFIG', 'refused'],
  [41, 'NOT_CONTROLLER', 'leader'],
  [42, 'INVALID_REQUEST', 'refused'],
  [43, 'UNSUPPORTED_FOR_MESSAGE_FORMAT', 'refused'],
  [44, 'POLICY_VIOLATION', 'refused'],
  [45, 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'transaction'],
  [46, 'DUPLICATE_SEQUENCE_NUMBER', 'transaction'],
  [47, 'INVALID_PRODUCER_EPOCH', 'fenced'],
  [48, 'INVALID_TXN_STATE', 'transaction'],
  [49, 'INVALID_PRODUCER_ID_MAPPING', 'transaction'],
  [50, 'INVALID_TRANSACTION_TIMEOUT', 'refused'],
  [51, 'CONCURRENT_TRANSACTIONS', 'soon'],
  [52, 'TRANSACTION_COORDINATOR_FENCED', 'coordinator'],
  [53, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED', 'refused'],
  [54, 'SECURITY_DISABLED', 'refused'],
  [55, 'OPERATION_NOT_ATTEMPTED', 'unavailable'],
  [56, 'KAFKA_STORAGE_ERROR', 'leader'],
  [57, 'LOG_DIR_NOT_FOUND', 'leader'],
  [58, 'SASL_AUTHENTICATION_FAILED', 'refused'],
  [59, 'UNKNOWN_PRODUCER_ID', 'transaction'],
  [60, 'REASSIGNMENT_IN_PROGRESS', 'retry'],
  [61, 'DELEGATION_TOKEN_AUTH_DISABLED', 'refused'],
  [62, 'DELEGATION_TOKEN_NOT_FOUND', 'refused'],
  [63, 'DELEGATION_TOKEN_OWNER_MISMATCH', 'refused'],
  [64, 'DELEGATION_TOKEN_REQUEST_NOT_ALLOWED', 'refused'],
  [65, 'DELEGATION_TOKEN_AUTHORIZATION_FAILED', 'refused'],
  [66, 'DELEGATION_TOKEN_EXPIRED', 'refused'],
  [67, 'INVALID_PRINCIPAL_TYPE', 'refused'],
  [68, 'NON_EMPTY_GROUP', 'unavailable'],
  [69, 'GROUP_ID_NOT_FOUND', 'unavailable'],
  [70, 'FETCH_SESSION_ID_NOT_FOUND', 'retry'],
  [71, 'INVALID_FETCH_SESSION_EPOCH', 'retry'],
  [72, 'LISTENER_NOT_FOUND', 'leader'],
  [73, 'TOPIC_DELETION_DISABLED', 'refused'],
  [74, 'FENCED_LEADER_EPOCH', 'leader'],
  [75, 'UNKNOWN_LEADER_EPOCH', 'leader'],
  [76, 'UNSUPPORTED_COMPRESSION_TYPE', 'refused'],
  [77, 'STALE_BROKER_EPOCH', 'leader'],
  [78, 'OFFSET_NOT_AVAILABLE', 'leader'],
  [79, 'MEMBER_ID_REQUIRED', 'unavailable'],
  [80, 'PREFERRED_LEADER_NOT_AVAILABLE', 'leader'],
  [81, 'GROUP_MAX_SIZE_REACHED', 'unavailable'],
  [82, 'FENCED_INSTANCE_ID', 'unavailable'],
  [83, 'ELIGIBLE_LEADERS_NOT_AVAILABLE', 'leader'],
  [84, 'ELECTION_NOT_NEEDED', 'leader'],
  [85, 'NO_REASSIGNMENT_IN_PROGRESS', 'unavailable'],
  [86, 'GROUP_SUBSCRIBED_TO_TOPIC', 'unavailable'],
  [87, 'INVALID_RECORD', 'invalid-record'],
  [88, 'UNSTABLE_OFFSET_COMMIT', 'soon'],
  [89, 'THROTTLING_QUOTA_EXCEEDED', 'retry'],
  [90, 'PRODUCER_FENCED', 'fenced'],
  [91, 'RESOURCE_NOT_FOUND', 'unavailable'],
  [92, 'DUPLICATE_RESOURCE', 'refused'],
  [93, 'UNACCEPTABLE_CREDENTIAL', 'refused'],
  [94, 'INCONSISTENT_VOTER_SET', 'unavailable'],
  [95, 'INVALID_UPDATE_VERSION', 'refused'],
  [96, 'FEATURE_UPDATE_FAILED', 'unavailable'],
  [97, 'PRINCIPAL_DESERIALIZATION_FAILURE', 'refused'],
  [98, 'SNAPSHOT_NOT_FOUND', 'unavailable'],
  [99, 'POSITION_OUT_OF_RANGE', 'unavailable'],
  [100, 'UNKNOWN_TOPIC_ID', 'leader'],
  [101, 'DUPLICATE_BROKER_REGISTRATION', 'unavailable'],
  [102, 'BROKER_ID_NOT_REGISTERED', 'unavailable'],
  [103, 'INCONSISTENT_TOPIC_ID', 'leader'],
  [104, 'INCONSISTENT_CLUSTER_ID', 'refused'],
  [105, 'TRANSACTIONAL_ID_NOT_FOUND', 'transaction'],
  [106, 'FETCH_SESSION_TOPIC_ID_ERROR', 'leader'],
  [107, 'INELIGIBLE_REPLICA', 'leader'],
  [108, 'NEW_LEADER_ELECTED', 'leader'],
  [109, 'OFFSET_MOVED_TO_TIERED_STORAGE', 'unavailable'],
  [110, 'FENCED_MEMBER_EPOCH', 'unavailable'],
  [111, 'UNRELEASED_INSTANCE_ID', 'unavailable'],
  [112, 'UNSUPPORTED_ASSIGNOR', 'refused'],
  [113, 'STALE_MEMBER_EPOCH', 'unavailable'],
  [114, 'MISMATCHED_ENDPOINT_TYPE', 'refused'],
  [115, 'UNSUPPORTED_ENDPOINT_TYPE', 'refused'],
  [116, 'UNKNOWN_CONTROLLER_ID', 'unavailable'],
  [117, 'UNKNOWN_SUBSCRIPTION_ID', 'unavailable'],
  [118, 'TELEMETRY_TOO_LARGE', 'refused'],
  [119, 'INVALID_REGISTRATION', 'refused'],
  [120, 'TRANSACTION_ABORTABLE', 'transaction'],
  [121, 'INVALID_RECORD_STATE', 'unavailable'],
  [122, 'SHARE_SESSION_NOT_FOUND', 'unavailable'],
  [123, 'INVALID_SHARE_SESSION_EPOCH', 'unavailable'],
  [124, 'FENCED_STATE_EPOCH', 'unavailable'],
  [125, 'INVALID_VOTER_KEY', 'refused'],
  [126, 'DUPLICATE_VOTER', 'refused'],
  [127, 'VOTER_NOT_FOUND', 'unavailable'],
  [128, 'INVALID_REGULAR_EXPRESSION', 'refused'],
  [129, 'REBOOTSTRAP_REQUIRED', 'leader'],
  [130, 'STREAMS_INVALID_TOPOLOGY', 'refused'],
  [131, 'STREAMS_INVALID_TOPOLOGY_EPOCH', 'refused'],
  [132, 'STREAMS_TOPOLOGY_FENCED', 'unavailable'],
  [133, 'SHARE_SESSION_LIMIT_REACHED', 'unavailable'],
];

export interface ErrorCodeInfo {
  readonly name: string;
  readonly action: ErrorAction;
}

const BY_CODE: ReadonlyMap<number, ErrorCodeInfo> = new Map(
  CODES.map(([code, name, action]) => [code, { name, action }]),
);

/** What a code means and asks for; unknown codes are `unavailable` on purpose. */
export function errorCodeInfo(code: number): ErrorCodeInfo {
  return BY_CODE.get(code) ?? { name: `ERROR_${code}`, action: 'unavailable' };
}
