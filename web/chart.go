package web

import (
	"context"
	"encoding/json"
	"strconv"

	"mooring/storage"
)

// chartRef is a chart of a draft and the report that it names: by portable id, which wins, or by numeric id.
type chartRef struct {
	widget   int
	config   map[string]any
	publicID string
	id       int64
}

// resolveCharts makes every chart of d name an existing report of the deployment by its numeric id: config.reportPublicId
// is looked up and written to config.reportId (decisions.md §5). Faults go to k, which stands at the draft.
func (s *Server) resolveCharts(ctx context.Context, at storage.Deployment, d draft, k *check) error {
	refs := chartRefs(d, k)
	if len(refs) == 0 {
		return nil
	}
	publicIDs, ids := wanted(refs)
	byPublicID, err := s.store.ReportIDs(ctx, at, publicIDs)
	if err != nil {
		return err
	}
	existing, err := s.store.ExistingReports(ctx, at, ids)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		ref.resolve(byPublicID, existing, k)
	}
	return nil
}

// chartRefs collects the charts of d. A chart that names no report, or not by a string or an integer, is a fault.
func chartRefs(d draft, k *check) []chartRef {
	var refs []chartRef
	for i, w := range d.widgets() {
		if w["type"] != chart {
			continue
		}
		config, _ := w["config"].(map[string]any)
		ref := chartRef{widget: i, config: config}
		if ref.read(k) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// read takes the reference from the chart's config; false when it is a fault.
func (ref *chartRef) read(k *check) (ok bool) {
	switch publicID, id := ref.config["reportPublicId"], ref.config["reportId"]; {
	case publicID != nil:
		ref.publicID, ok = publicID.(string)
		if ok = ok && publicIDPattern.MatchString(ref.publicID); !ok {
			ref.fault(k, codeInvalid, "reportPublicId", "must be the publicId of a report")
		}
	case id == nil:
		ref.fault(k, codeInvalid, "reportId", "is required: a chart names its report")
	default:
		if ref.id, ok = whole(id); !ok {
			ref.fault(k, codeInvalid, "reportId", "must be an integer")
		}
	}
	return ok
}

func wanted(refs []chartRef) (publicIDs []string, ids []int64) {
	for _, ref := range refs {
		if ref.publicID != "" {
			publicIDs = append(publicIDs, ref.publicID)
		} else {
			ids = append(ids, ref.id)
		}
	}
	return publicIDs, ids
}

func (ref chartRef) resolve(byPublicID map[string]int64, existing map[int64]bool, k *check) {
	switch {
	case ref.publicID == "" && !existing[ref.id]:
		ref.fault(k, codeNoReport, "reportId", "names no report of this deployment: create that report first, or name another one")
	case ref.publicID == "":
	case byPublicID[ref.publicID] == 0:
		ref.fault(k, codeNoReport, "reportPublicId", "names no report of this deployment: create that report first, or name another one")
	default:
		ref.config["reportId"] = json.Number(strconv.FormatInt(byPublicID[ref.publicID], 10))
	}
}

// fault notes what is wrong with a key of the chart's config.
func (ref chartRef) fault(k *check, code Code, key, message string) {
	k.at([]string{"widgets", strconv.Itoa(ref.widget), "config", key}, code, "%s", message)
}
