//! Student's t distribution and the normal one, by `statrs`, for inputs that cannot fail.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// From so many degrees of freedom on, t is normal to one part in 50,000, and `statrs` no more exact than that.
const MOST_FREEDOM: f64 = 100_000.0;

/// The value that a t variable of so many degrees of freedom stays below with this probability.
pub(super) fn t_quantile(probability: f64, freedom: f64) -> f64 {
    let inner = probability.clamp(0.0, 1.0);
    student(freedom).map_or_else(|| z_quantile(inner), |t| t.inverse_cdf(inner))
}

/// The probability that a t variable is at least as far from 0 as `t`, on either side.
pub(super) fn two_sided_p(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let below = student(freedom).map_or_else(|| Normal::standard().cdf(-t.abs()), |d| d.cdf(-t.abs()));
    (2.0 * below).min(1.0)
}

/// The value that a standard normal variable stays below with this probability.
pub(super) fn z_quantile(probability: f64) -> f64 {
    Normal::standard().inverse_cdf(probability)
}

/// The probability that a standard normal variable is at least as far from 0 as `z`, on either side.
pub(super) fn two_sided_normal_p(z: f64) -> f64 {
    (2.0 * Normal::standard().cdf(-z.abs())).min(1.0)
}

/// `None` where the normal distribution serves.
fn student(freedom: f64) -> Option<StudentsT> {
    Some(freedom).filter(|freedom| *freedom < MOST_FREEDOM).and_then(|freedom| {
        // A mean of two values has one degree of freedom; no test here has less.
        StudentsT::new(0.0, 1.0, freedom.max(1.0)).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-7 * expected.abs().max(1e-12), "{found} for {expected}");
    }

    #[test]
    fn quantiles_are_those_of_scipy() {
        // scipy 1.17: stats.t.ppf(probability, freedom)
        for (probability, freedom, expected) in [
            (0.975, 1.0, 12.706_204_736_2),
            (0.975, 2.0, 4.302_652_729_75),
            (0.95, 2.71, 2.459_667_691_3),
            (0.9, 4.0, 1.533_206_274_06),
            (0.8, 4.0, 0.940_964_577_235),
            (0.99375, 9.0, 3.110_934_823_18),
            (0.995, 33.3, 2.731_779_484_18),
            (0.975, 517.0, 1.964_563_095_14),
        ] {
            near(t_quantile(probability, freedom), expected);
            near(-t_quantile(1.0 - probability, freedom), expected);
        }
        // stats.norm.ppf(0.975)
        near(z_quantile(0.975), 1.959_963_984_54);
    }

    #[test]
    fn tails_are_those_of_scipy() {
        // scipy 1.17: 2 * stats.t.sf(t, freedom)
        for (t, freedom, expected) in [
            (2.0, 1.0, 0.295_167_235_301),
            (3.3, 2.71, 0.052_961_023_039_8),
            (5.0, 4.0, 0.007_490_433_881_27),
            (0.7, 18.0, 0.492_876_070_861),
            (40.0, 9.0, 1.898_299_844_93e-11),
        ] {
            near(two_sided_p(t, freedom), expected);
            near(two_sided_p(-t, freedom), expected);
        }
        // 2 * stats.norm.sf(1.96)
        near(two_sided_normal_p(1.96), 0.049_995_790_296_4);
    }

    #[test]
    fn the_ends_are_defined() {
        assert!((two_sided_p(0.0, 3.0) - 1.0).abs() < 1e-12);
        assert!(two_sided_p(f64::INFINITY, 3.0) == 0.0);
        assert!(t_quantile(0.975, f64::INFINITY).is_finite() && t_quantile(0.975, 0.0).is_finite());
        let seam = t_quantile(0.975, MOST_FREEDOM - 1.0) / t_quantile(0.975, MOST_FREEDOM);
        assert!((seam - 1.0).abs() < 2e-5, "{seam}");
    }
}
