package console

import (
	"net/http"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
)

type settleRequest struct {
	Quiet   *int64 `json:"quiet_ms" description:"For how long nothing is under way; 150 when left out, 10000 at most."`
	Timeout *int64 `json:"timeout_ms" description:"5000 when left out, 60000 at most."`
}

type settleReply struct {
	Settled  bool  `json:"settled"`
	WaitedMS int64 `json:"waited_ms"`
	InFlight int64 `json:"in_flight" description:"Requests under way."`
	Pending  int64 `json:"pending_deliveries" description:"Those that wait for a later try included."`
}

const (
	standardQuiet, mostQuiet   = 150, 10_000 // milliseconds
	standardSettle, mostSettle = 5000, 60_000
)

// milliseconds reads a number of milliseconds.
func milliseconds(field string, given *int64, standard, most int64) (time.Duration, error) {
	n := standard
	if given != nil {
		n = *given
	}
	if n < 0 || n > most {
		return 0, environment.BadValue.At(field).Detailf("must be from 0 to %d", most)
	}
	return time.Duration(n) * time.Millisecond, nil
}

// times returns the durations of a request.
func (in *settleRequest) times() (quiet, timeout time.Duration, err error) {
	if quiet, err = milliseconds("quiet_ms", in.Quiet, standardQuiet, mostQuiet); err == nil {
		timeout, err = milliseconds("timeout_ms", in.Timeout, standardSettle, mostSettle)
	}
	return quiet, timeout, err
}

// settle waits until an environment is quiet.
func (c acting) settle(w http.ResponseWriter, r *http.Request) error {
	var in settleRequest
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	quiet, timeout, err := in.times()
	if err != nil {
		return err
	}
	return c.awaiting(func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		s, err := environment.Settle(r.Context(), env, c.d.Arrived, quiet, timeout)
		if err != nil {
			return err
		}
		httpkit.WriteJSON(w, http.StatusOK, settleReply{s.Settled, s.Waited.Milliseconds(), s.InFlight, s.Pending})
		return nil
	})(w, r)
}
