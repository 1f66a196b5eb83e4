package placements

// Code names for programs what is wrong with a request (decisions.md §2). Package web knows the status of each.
type Code string

// The codes of a request that is wrong in itself.
const (
	CodeMalformed     Code = "malformed_json"
	CodeInvalid       Code = "invalid_request" // a type, range or length; what is required is missing
	CodeUnknownKey    Code = "unknown_key"
	CodeTooDeep       Code = "body_too_deep"
	CodeTooLarge      Code = "body_too_large"
	CodeMediaType     Code = "unsupported_media_type"
	CodePacked        Code = "unsupported_content_encoding"
	CodeParameter     Code = "invalid_parameter" // of the query
	CodeUnknownQuery  Code = "unknown_parameter"
	CodeCursor        Code = "invalid_cursor"
	CodePublicID      Code = "invalid_public_id"
	CodeReservedID    Code = "reserved_public_id"
	CodePublicIDFixed Code = "public_id_fixed" // a request that would change it
	CodeSlug          Code = "invalid_slug"
	CodeSlugFixed     Code = "slug_fixed"
	CodeKeyFixed      Code = "schedule_key_fixed"
	CodeWidgetTwice   Code = "duplicate_widget_id"
	CodeNoReport      Code = "unknown_report"        // named by a chart
	CodeReportsDiffer Code = "chart_reports_differ"  // named by a chart's two ids
	CodeTargetsDiffer Code = "target_reports_differ" // named by a schedule's two ids
	CodeNoWorkbook    Code = "unknown_workbook"      // named by a report
	CodeCron          Code = "invalid_cron"
	CodeTimezone      Code = "invalid_timezone"
	CodeAddress       Code = "invalid_address"
	CodeChecksum      Code = "invalid_checksum"
	CodeNoDraft       Code = "no_draft"
	CodeDraftsDiffer  Code = "dashboard_drafts_differ" // a workbook's dashboardDraft and that of its meta
	CodeKeyReused     Code = "idempotency_key_reused"
	CodeQueryFailed   Code = "query_failed"
	CodePlanTooLarge  Code = "plan_too_large"
	CodePruneLimit    Code = "plan_prune_limit"
	CodeAssetTwice    Code = "duplicate_asset"
)

// The codes of the parameters of a report, and of their values.
const (
	CodeParameterUndeclared Code = "parameter_undeclared" // named by a query or a placement, but not among the report's
	CodeParameterUnused     Code = "parameter_unused"     // not named by the query
	CodeParameterInvalid    Code = "parameter_invalid"    // its definition, or where a query names it
	CodeParameterValue      Code = "parameter_value"      // not of its type, or not allowed
	CodeParameterCell       Code = "parameter_cell"       // one that a value may not come from
)

// The codes of a request that this caller may not make, or about what does not exist for the caller.
const (
	CodeUnauthorized Code = "unauthorized"
	CodeSignature    Code = "bad_signature"        // of a request to a hook
	CodeForbidden    Code = "forbidden"            // what the token may do does not reach
	CodeOtherTenant  Code = "wrong_tenant"         // the token is of another one, or one that is not served
	CodeCSRF         Code = "csrf_required"        // of a session's write
	CodeForeignPage  Code = "foreign_origin"       // of a session
	CodeOtherDeploy  Code = "wrong_deployment"     // the token is not for it
	CodeDocument     Code = "document_not_allowed" // the configuration's documents do not have it
	CodeNotPlacer    Code = "not_placer"           // an add-in may refresh only what its user placed
	CodeNotFound     Code = "not_found"
	CodeNoRoute      Code = "no_route"
	CodeNoPublicURL  Code = "no_public_url"
	CodeMethod       Code = "method_not_allowed"
)

// The codes of a request that the present state forbids.
const (
	CodeElsewhere     Code = "public_id_elsewhere" // a publicId of another deployment; clients see no code (interface.md, upsert rule 6)
	CodePublicIDTaken Code = "public_id_taken"
	CodeSlugTaken     Code = "slug_taken"
	CodeBranchChanged Code = "upsert_branch_changed"
	CodeAmbiguous     Code = "ambiguous_legacy_id"
	CodeVersion       Code = "version_mismatch"
	CodeStale         Code = "precondition_failed"
	CodeAddressTaken  Code = "placement_address_taken"
	CodeIDTaken       Code = "placement_id_taken"
	CodeInUse         Code = "report_in_use"
	CodeNothing       Code = "nothing_to_refresh"
	CodeNothingToPut  Code = "nothing_to_put_back"
	CodeCountChanged  Code = "count_changed"
	CodeRunning       Code = "run_in_progress"
	CodeKeyInFlight   Code = "idempotency_in_flight"
	CodeScheduleLimit Code = "schedule_limit"
	CodePlanStale     Code = "plan_stale"
	CodePlanExpired   Code = "plan_expired" // or there never was such a plan
	CodePlanConflicts Code = "plan_has_conflicts"
	CodeKeyTaken      Code = "schedule_key_taken"
	CodeNoSigningKey  Code = "no_signing_key" // with a private part: the service only verifies tokens
	CodeKeyLimit      Code = "key_limit"
	CodeLeaseLost     Code = "lease_lost"      // the add-in's hold on its run has ended
	CodeDigest        Code = "digest_mismatch" // what an add-in wrote is not what was planned last
	CodeBlockConflict Code = "block_conflict"  // what stands in a sheet forbids to write the block
)

// The codes of what the service cannot do now.
const (
	CodeRateLimited Code = "rate_limited"
	CodeLooksLimit  Code = "looks_limit" // too many documents are looked for at once
	CodeUnavailable Code = "unavailable"
	CodeSourceDown  Code = "source_unavailable"
	CodeResultsBusy Code = "results_busy"
	CodePreviewBusy Code = "previews_busy" // too many are under way for the user, or on the source
	CodeFull        Code = "storage_full"
	CodeStorage     Code = "storage_unavailable"
	CodeNotSaving   Code = "storage_not_saving"
	CodeReadOnly    Code = "storage_read_only"
	CodeFewReplicas Code = "storage_few_replicas"
	CodeLoading     Code = "storage_loading"
	CodeClusterDown Code = "storage_cluster_down"
	CodeDenied      Code = "storage_denied"
	CodeInternal    Code = "internal"
)
